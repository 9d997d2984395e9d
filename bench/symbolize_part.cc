#include <algorithm>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
template <int N> struct Key {
	std::string text;
	long number = N;
	bool operator<(const Key &other) const
	{
		return std::tie(text, number) < std::tie(other.text, other.number);
	}
	bool operator==(const Key &other) const
	{
		return text == other.text && number == other.number;
	}
};
template <int N> struct Hash {
	size_t operator()(const Key<N> &k) const
	{
		return std::hash<std::string>()(k.text) * 31 + k.number;
	}
};
template <int N> long use(const std::string &text)
{
	std::map<Key<N>, std::vector<std::string>> map;
	std::unordered_map<Key<N>, std::list<Key<N>>, Hash<N>> hash;
	std::set<std::pair<Key<N>, double>> set;
	std::deque<std::variant<long, std::string, Key<N>>> queue;
	std::stringstream words(text);
	for (std::string word; words >> word;) {
		Key<N> key{word};
		map[key].push_back(word);
		hash[key].push_front(key);
		set.emplace(key, word.size() * 0.5);
		queue.emplace_back(key);
	}
	std::vector<Key<N>> keys;
	for (auto &[key, list] : hash)
		keys.insert(keys.end(), list.begin(), list.end());
	std::sort(keys.begin(), keys.end());
	std::stable_sort(
		keys.begin(), keys.end(), [](const auto &a, const auto &b) { return b < a; });
	std::function<long(const Key<N> &)> number = [&](const Key<N> &k) {
		return k.number + (long)map[k].size();
	};
	return std::accumulate(keys.begin(), keys.end(), 0L,
		       [&](long sum, const Key<N> &k) { return sum + number(k); }) +
	       (long)queue.size() + (long)set.size();
}
template <int... N> long use_all(const std::string &text, std::integer_sequence<int, N...>)
{
	return (use<N>(text) + ...) + std::regex_search(text, std::regex("a+b"));
}
extern "C" long entry(const char *text)
{
	return use_all(text, std::make_integer_sequence<int, 24>());
}
