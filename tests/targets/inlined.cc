// inlined.cc: what C++ names, declares in one place and defines in another, and inlines.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace shapes
{
class Shape
{
      public:
	virtual ~Shape();
	virtual double area() const = 0;
	static unsigned count;

	class Visitor
	{
	      public:
		void visit(const Shape &shape);
		double total = 0;
	};

	template <typename T> T scaled(T by) const { return static_cast<T>(area()) * by; }
};

unsigned Shape::count;

Shape::~Shape()
{
	count--;
}

__attribute__((noinline)) void Shape::Visitor::visit(const Shape &shape)
{
	total += shape.scaled<double>(2.0) + shape.scaled<int>(3);
}

namespace
{
class Square : public Shape
{
      public:
	explicit Square(double side) : side_(side) { count++; }
	double area() const override { return side_ * side_; }

      private:
	double side_;
};

template <int N> struct Power {
	static double of(double x) { return x * Power<N - 1>::of(x); }
};
template <> struct Power<0> {
	static double of(double) { return 1; }
};

__attribute__((noinline)) double hidden(double x)
{
	return Power<5>::of(x) + Power<3>::of(x + 1);
}
} // namespace

__attribute__((noinline)) static double hidden_too(double x)
{
	struct Local {
		double twice(double y) { return hidden(y) * 2; }
		__attribute__((noinline)) double solid(double y) { return twice(y) + 1; }
	} local;
	return local.twice(x) + local.solid(x);
}

std::unique_ptr<Shape> make(double side)
{
	return std::make_unique<Square>(side);
}
} // namespace shapes

static std::map<std::string, int> counted(const std::vector<std::string> &words)
{
	std::map<std::string, int> counts;

	for (const auto &word : words)
		counts[word]++;
	return counts;
}

int main(int argc, char **argv)
{
	std::vector<std::string> words(argv, argv + argc);
	shapes::Shape::Visitor visitor;
	int base = argc;

	std::sort(words.begin(), words.end(),
		[base](const std::string &a, const std::string &b) {
			return a.size() + static_cast<unsigned>(base) < b.size();
		});
	for (const auto &entry : counted(words))
		visitor.visit(*shapes::make(entry.second));
	std::function<double(double)> later = [&visitor](double x) {
		return shapes::hidden_too(x) + visitor.total;
	};
	try {
		std::printf("%f\n", later(static_cast<double>(words.at(0).size())));
	} catch (const std::exception &e) {
		std::puts(e.what());
	}
	return 0;
}
