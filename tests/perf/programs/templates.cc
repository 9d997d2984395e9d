// templates.cc: names as C++ makes them, and functions inlined into each other.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "work.h"
}

namespace {
template <typename T, int Rounds> struct Mixer {
	T state;

	__attribute__((always_inline)) inline T step(T x) const
	{
		return x * T(6364136223846793005u) + T(Rounds);
	}
	SOLID T mix(T from)
	{
		for (int i = 0; i < 4000000; i++)
			from = step(from) ^ state;
		return from;
	}
	SOLID T operator()(T x)
	{
		return mix(x) + mix(x + 1);
	}
	SOLID bool operator<(const Mixer &other) const
	{
		volatile T a = state;

		for (int i = 0; i < 40; i++)
			a = step(a);
		return state < other.state;
	}
};

struct Base {
	virtual ~Base() = default;
	virtual uint64_t run(uint64_t x) = 0;
};

template <class... Parts> struct Derived final : Base {
	SOLID uint64_t run(uint64_t x) override
	{
		std::function<uint64_t(uint64_t)> twice = [x](uint64_t y) {
			return Mixer<uint64_t, sizeof...(Parts)>{x}(y);
		};

		return twice(x) ^ twice(x + 1);
	}
};
} // namespace

namespace outer::inner {
SOLID uint64_t sorts(std::vector<Mixer<unsigned, 7>> values)
{
	std::sort(values.begin(), values.end());
	return values[values.size() / 2].state;
}

SOLID uint64_t maps(const std::vector<std::string> &words)
{
	std::map<std::string, std::unique_ptr<uint64_t>> counts;

	for (int i = 0; i < 400; i++)
		for (auto &word : words) {
			auto &slot = counts[word];
			if (!slot)
				slot = std::make_unique<uint64_t>(0);
			++*slot;
		}
	return counts.size();
}
} // namespace outer::inner

int main()
{
	std::vector<Mixer<unsigned, 7>> values;
	std::vector<std::string> words;
	std::unique_ptr<Base> base = std::make_unique<Derived<int, char (*)(double), std::string>>();

	for (unsigned i = 0, random = 1; i < 60000; i++, random = random * 1664525u + 1013904223u)
		values.push_back({random});
	for (unsigned i = 0; i < 500; i++)
		words.push_back("word number " + std::to_string(i * 2654435761u));
	work_sink += base->run(3) + outer::inner::sorts(values) + outer::inner::maps(words);
	return 0;
}
