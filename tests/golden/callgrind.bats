# callgrind.bats: stacks out of call graphs: costs as callgrind_annotate shows them, and the assumption in numbers.
load common

# own KIND FILE: what each function costs itself.
own() {
	"$kiln" fold -q --kind "$1" "$2" | awk '{ n = $NF; sub(/ [^ ]*$/, ""); sub(/.*;/, ""); sum[$0] += n }
		END { for (name in sum) print name, sum[name] }' | sort
}

@test "callgrind: calls, recursion, a circle of functions, several events" {
	# --toggle-collect=main --cache-sim=yes; what callgrind_annotate shows, with the levels of recursion added up.
	same callgrind/cycle
	own Ir "$golden/callgrind/cycle.txt" | diff - <(printf '%s\n' 'fib 2563' 'is_even 84' 'is_odd 100' 'leaf 180620' \
		'main 63' 'third 60' 'two_thirds 60')
	[ "$("$kiln" fold -q --kind Dr "$golden/callgrind/cycle.txt" | awk '{ n += $NF } END { print n }')" -eq 30716 ]
	said 'stacks are estimated: the file says what a function calls' <"$golden/callgrind/cycle.txt"
}

@test "callgrind: with --separate-callers, stacks are those that were" {
	same callgrind/callers
	run -0 "$kiln" fold "$golden/callgrind/callers.txt"
	[[ "$output" != *estimated* ]]
}

@test "callgrind: what Xdebug measures" {
	same callgrind/xdebug
	expected=callgrind/xdebug.Memory same callgrind/xdebug --kind Memory
}

# graph LINE...: a graph of one cost.
graph() {
	printf '%s\n' '# callgrind format' 'events: Ir' "$@"
}

@test "callgrind: costs of a function are divided as the costs of its calls" {
	graph fn=main '1 1' cfn=a 'calls=1 1' '1 31' cfn=b 'calls=1 1' '1 93' fn=a '1 10' cfn=f 'calls=1 1' '1 21' \
		fn=b '1 30' cfn=f 'calls=3 1' '1 63' fn=f '1 52' cfn=g 'calls=4 1' '1 32' fn=g '1 32' >calls
	"$kiln" fold -q calls | diff - <(printf '%s\n' 'main 1' 'main;a 10' 'main;a;f 13' 'main;a;f;g 8' 'main;b 30' \
		'main;b;f 39' 'main;b;f;g 24')
}

@test "callgrind: a circle is entered through one of its functions" {
	graph fn=main '1 1' cfn=a 'calls=1 1' '1 30' fn=a '1 10' cfn=b 'calls=1 1' '1 25' fn=b '1 14' cfn=a 'calls=1 1' \
		'1 8' cfn=g 'calls=1 1' '1 6' fn=g '1 6' >calls
	"$kiln" fold -q calls | diff - <(printf '%s\n' 'main 1' 'main;a 10' 'main;a;b 14' 'main;a;b;g 6')
}

@test "callgrind: more stacks than anybody could tell apart" {
	{
		graph
		for ((i = 0; i < 60; i++)); do
			for side in a b; do
				printf '%s\n' "fn=$side$i" '1 100'
				((i == 59)) || printf '%s\n' "cfn=a$((i + 1))" calls='1 1' "1 $((5000 - i))" "cfn=b$((i + 1))" calls='1 1' "1 $((5000 - i))"
			done
		done
	} >calls
	said 'of the cost is below [several callers]' <calls
	own Ir calls >costs
	[ "$(grep -c ' 100$' costs)" -eq 120 ]
}

@test "callgrind: positions, parts, names by number, jumps, files and binaries" {
	cat >calls <<-'END'
		version: 1
		creator: test
		positions: instr line
		events: Ir Dr
		ob=(1) /bin/app
		fl=(1) a.c
		fn=(1) main
		0x10 5 7 1
		+4 +1 3
		fi=(2) a.h
		* * 10 1
		fe=(1)
		jcnd=3/4 0x20 9
		* *
		jump=1 0x20 9
		* *
		cob=(2) /lib/libz.so.1
		cfi=(3) z.c
		cfn=(2) 0x00000000000012f0
		calls=2 0x400 8
		+8 -2 40 4
		totals: 60 6
		part: 2
		events: Ir Dr
		ob=(2)
		fl=(3)
		fn=(2)
		0x400 8 40 4
		totals: 40 4
	END
	"$kiln" fold -q calls | diff - <(printf '%s\n' 'main 20' 'main;[libz.so.1+0x12f0] 40')
	said 'the file says that all costs together are 100, but its lines add up to 60' <calls
	"$kiln" fold -q --kind Dr calls | diff - <(printf '%s\n' 'main 2' 'main;[libz.so.1+0x12f0] 4')
}

@test "callgrind: what is refused, and what is skipped" {
	graph 'fn=(7)' '1 2' 'fn=main' '1 2 3' '1 x' '1 4' 'calls=1 1' '1 5' | said '5 of 10 lines skipped, first at line 3'
	graph 'fn=main' '1 9223372036854775807' '1 1' | refused 'line 5: the sum of all values exceeds 2^63'
	graph 'fn=main' '1 9223372036854775807' 'fn=f' '1 1' | refused 'the sum of all values exceeds 2^63'
	graph 'fn=main' '1 1' 'events: Ir Dr' | refused 'line 5: expected `events:` with the names of all costs, the same in every part'
	graph 'fn=main' | refused 'expected a sample'
	printf '# callgrind format\nfn=main\n1 2\n' | refused 'line 3: expected costs below `fn=`'
	graph 'fn=(67108864) f' '1 2' fn=g '1 1' | said 'line 3: expected a number that was defined above'
}
