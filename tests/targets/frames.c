/* frames.c: a short program with every kind of frame: registers saved and not, leaf functions, tail
 * calls, calls through the PLT and back, alloca, realigned stacks, rules that are expressions,
 * signals on the stack and on another one. */
#include <alloca.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if __has_attribute(noclone)
#define SOLID __attribute__((noinline, noclone))
#else
#define SOLID __attribute__((noinline))
#endif

static volatile unsigned sink;

SOLID static unsigned leaf(unsigned x)
{
	return x * 2654435761u >> 3;
}

/* More live values than a call leaves in registers. */
SOLID static unsigned saves_registers(unsigned a, unsigned b, unsigned c)
{
	unsigned d = leaf(a), e = leaf(b), f = leaf(c), g = leaf(a + b), h = leaf(b + c);

	return d + leaf(e) + leaf(f + g) + h * leaf(d ^ h) + e * f * g;
}

SOLID static unsigned recurses(unsigned depth)
{
	return depth ? recurses(depth - 1) + leaf(depth) : saves_registers(1, 2, 3);
}

SOLID static unsigned tail_called(unsigned x)
{
	return saves_registers(x, x + 1, x + 2) ^ 5;
}

SOLID static unsigned tail_calls(unsigned x)
{
	return tail_called(leaf(x) + 1);
}

static int compares(const void *a, const void *b)
{
	unsigned x = leaf(*(const unsigned *)a), y = leaf(*(const unsigned *)b);

	return x < y ? -1 : x > y;
}

SOLID static unsigned called_back(void)
{
	unsigned values[] = {5, 3, 9, 1, 7};

	qsort(values, sizeof(values) / sizeof(*values), sizeof(*values), compares);
	return values[2];
}

SOLID static unsigned fills(char *room, unsigned size)
{
	memset(room, (int)size, size);
	return leaf((unsigned char)room[size / 2]);
}

SOLID static unsigned allocates(unsigned size)
{
	char *room = alloca(size), variable[size + 1];

	return fills(room, size) + fills(variable, size + 1);
}

SOLID static unsigned realigns(unsigned x)
{
	_Alignas(64) char room[128];

	return fills(room, sizeof(room)) + x;
}

/* Both: GCC keeps the frame's address in r10 and spills it. */
SOLID static unsigned realigns_and_allocates(unsigned size, unsigned a, unsigned b, unsigned c,
	unsigned d, unsigned e, unsigned f, unsigned g)
{
	_Alignas(32) char room[64];
	char *more = alloca(size);

	return fills(room, sizeof(room)) + fills(more, size) + a + b + c + d + e + f + g;
}

SOLID static unsigned formats(unsigned x)
{
	char text[64];

	snprintf(text, sizeof(text), "%u %s", x, "text");
	return (unsigned)strtoul(text, NULL, 10);
}

#ifdef __x86_64__
/* A frame as OpenSSL's assembly builds it: the old stack pointer lies in the aligned frame, and the
 * rule that finds it is an expression: the word at rsp + 40, plus 8. */
__asm__(".text\n"
	".type keeps_stack_pointer,@function\n"
	"keeps_stack_pointer:\n"
	".cfi_startproc\n"
	"	mov %rsp,%rax\n"
	".cfi_def_cfa_register %rax\n"
	"	push %rbx\n"
	".cfi_offset %rbx,-16\n"
	"	push %rbp\n"
	".cfi_offset %rbp,-24\n"
	"	sub $48,%rsp\n"
	"	and $-64,%rsp\n"
	"	mov %rax,40(%rsp)\n"
	".cfi_escape 0x0f,0x05,0x77,0x28,0x06,0x23,0x08\n"
	"	mov $7,%ebx\n"
	"	mov $9,%ebp\n"
	"	call keeps_frame_in_r11\n"
	"	mov 40(%rsp),%rsi\n"
	".cfi_def_cfa %rsi,8\n"
	"	mov -16(%rsi),%rbp\n"
	".cfi_restore %rbp\n"
	"	mov -8(%rsi),%rbx\n"
	".cfi_restore %rbx\n"
	"	lea (%rsi),%rsp\n"
	".cfi_def_cfa_register %rsp\n"
	"	ret\n"
	".cfi_endproc\n"
	".size keeps_stack_pointer,.-keeps_stack_pointer\n"
	".type keeps_frame_in_r11,@function\n"
	"keeps_frame_in_r11:\n"
	".cfi_startproc\n"
	"	lea 8(%rsp),%r11\n"
	".cfi_def_cfa %r11,0\n"
	"	sub $200,%rsp\n"
	"	call keeps_nothing\n"
	"	lea -8(%r11),%rsp\n"
	".cfi_def_cfa %rsp,8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size keeps_frame_in_r11,.-keeps_frame_in_r11\n"
	".type keeps_nothing,@function\n"
	"keeps_nothing:\n"
	".cfi_startproc\n"
	"	xor %eax,%eax\n"
	"	ret\n"
	".cfi_endproc\n"
	".size keeps_nothing,.-keeps_nothing\n");
unsigned keeps_stack_pointer(void);
#endif

static void handles(int number)
{
	sink += saves_registers((unsigned)number, sink, 3);
}

SOLID static void raises(void)
{
	raise(SIGUSR1);
	raise(SIGUSR2); /* on the other stack */
}

static void set_up_signals(void)
{
	struct sigaction action = {.sa_handler = handles};
	stack_t other = {.ss_size = 1 << 16};

	other.ss_sp = mmap(
		NULL, other.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
}

static void everything(void)
{
	raises();
	sink += saves_registers(4, 5, 6) + recurses(12) + tail_calls(3) + called_back();
	sink += allocates(50) + realigns(4) + formats(77);
	sink += realigns_and_allocates(30, 1, 2, 3, 4, 5, 6, 7);
#ifdef __x86_64__
	sink += keeps_stack_pointer();
#endif
}

int main(void)
{
	set_up_signals();
	everything();
	return 0;
}
