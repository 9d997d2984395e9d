# valgrind.bats: heaps that Valgrind's Massif and DHAT describe, of a program that counts its blocks: third and two_thirds
# keep 100 of 1,000 and of 2,000 bytes, churn frees 100 of 5,000.
load common

@test "massif: the peak, and what is below the threshold" {
	# --max-snapshots=10 --threshold=40
	suffix=txt same massif/blocks
	said 'the peak of 5 snapshots is shown: number 4, at 152597 i' <"$golden/massif/blocks.txt"
	grep -qF 'their administration took 2392 bytes, and stacks of threads 0' said
}

@test "massif: without a peak, the largest tree; damage" {
	cat >start <<-'END'
		desc: --peak-inaccuracy=5
		cmd: ./a
		time_unit: B
	END
	snapshot() {
		printf '#-----------\nsnapshot=%s\n#-----------\ntime=%s\nmem_heap_B=%s\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=%s\n' "$@"
	}
	{
		cat start
		snapshot 0 1 70 detailed
		printf 'n1: 70 (heap allocation functions) malloc\n n0: 70 0x1AB: f(int) (in /lib/libf.so)\n'
		snapshot 1 2 90 detailed
		printf 'n1: 90 (heap allocation functions) malloc\n n1: 90 0x1AB: ??? (in /lib/libf.so)\n  n1: 80 0x2: main (a b.c:12)\n'
		snapshot 2 3 95 empty
		snapshot 3 4 80 detailed
		printf 'n0: 80 (heap allocation functions) malloc\n'
	} | said 'the largest of 4 snapshots is shown: number 1, at 2 B'
	"$kiln" fold -q --lines input | diff - <(printf '%s\n' '[libf.so] 10' 'main (a b.c:12);[libf.so] 80')
	{
		cat start
		snapshot 0 1 70 peak
		printf 'n1: 70 (heap allocation functions) malloc\n n1: 70 f\n   n0: 70 g\n n0 70 h\n n1: 10 k\n  n0: 20 l\n'
	} | said '3 of 17 lines skipped, first at line 14: expected at most one blank more than the line above'
	{
		cat start
		snapshot 0 1 70 empty
	} | refused 'expected a sample'
	{
		cat start
		snapshot 0 1 x peak
		printf 'n1: 7 f\n n0: 9223372036854775807 f\n n0: 1 g\n'
	} | refused 'line 14: the sum of all values exceeds 2^63'
}

@test "dhat: in all, at the peak and at the end" {
	suffix=json same dhat/blocks
	expected=dhat/blocks.peak_space suffix=json same dhat/blocks --kind peak_space
	while read -r kind sum; do
		[ "$("$kiln" fold -q --kind "$kind" "$golden/dhat/blocks.json" | awk '{ n += $NF } END { print n }')" -eq "$sum" ]
	done <<-'END'
		alloc_space 800000
		alloc_objects 300
		peak_space 305000
		peak_objects 201
		inuse_space 150000
		inuse_objects 100
		lifetime 2626517
	END
	"$kiln" fold -q --lines "$golden/dhat/blocks.json" | grep -Fx 'main (ms.c:8);third (ms.c:5);keep (ms.c:4);malloc 100000'
}

@test "dhat: other modes, other writers, damage" {
	"$kiln" fold -q - <<<'{"dhatFileVersion":2,"mode":"ad-hoc","bklt":false,"bkacc":false,"bu":"unit","pps":[{"tb":7,"tbk":2,"fs":[1,9]}],"ftbl":["[root]","0x1: a::b<c> (src/main.rs:3:5)"]}' |
		diff - <(echo '[unknown];a::b<c> 7')
	refused 'expected `dhatFileVersion` 2, as Valgrind 3.16 and later write' <<<'{"dhatFileVersion":1,"pps":[{"tb":1,"fs":[0]}],"ftbl":[""]}'
	refused 'expected a number from 0 on' <<<'{"dhatFileVersion":2,"pps":[{"tb":-1,"fs":[0]}],"ftbl":[""]}'
	refused 'expected a sample' <<<'{"dhatFileVersion":2,"pps":[],"ftbl":[""]}'
	refused 'the sum of all values exceeds 2^63' <<<'{"dhatFileVersion":2,"pps":[{"tb":9223372036854775807,"fs":[1]},{"tb":1,"fs":[0]}],"ftbl":["a","b"]}'
}
