# completion.bats: kiln completion: the scripts, loaded in the real shells.
load common

setup_file() {
	export PATH="$(dirname "${KILN:-$BATS_TEST_DIRNAME/../../build/kiln}"):$PATH"
}

# What bash offers for the words given, the last of which is being typed.
bash_offers() {
	bash --norc -c '
		source <(kiln completion bash)
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		compopt() { :; }
		_kiln kiln "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
		printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

@test "bash: commands, options, choices, files, shells" {
	run -0 bash_offers kiln t
	[ "$output" = $'top\ntree' ]
	run -0 bash_offers kiln top --so
	[ "$output" = --sort ]
	run -0 bash_offers kiln top --sort ''
	[ "$output" = $'self\ntotal\nname' ]
	run -0 bash_offers kiln top --sort = t
	[ "$output" = total ]
	run -0 bash_offers kiln top -s n
	[ "$output" = name ]
	run -0 bash_offers kiln draw sma
	[ "$output" = small.folded ]
	run -0 bash_offers kiln draw -o sma
	[ "$output" = small.folded ]
	run -0 bash_offers kiln completion z
	[ "$output" = zsh ]
	run -0 bash_offers kiln help co
	[ "$output" = $'convert\ncompletion' ]
}

@test "bash: the classic name" {
	classic() {
		bash --norc -c '
			source <(kiln completion bash)
			COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
			compopt() { :; }
			_kiln_flamegraph flamegraph "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
			printf "%s\n" "${COMPREPLY[@]}"' bash flamegraph "$@"
	}
	run -0 classic --perf
	[ "$output" = --perfdata ]
	run -0 classic --palette h
	[ "$output" = hot ]
	run -0 classic --perfdata sma
	[ "$output" = small.folded ]
}

@test "bash: an argument only the user knows offers nothing" {
	run -0 bash_offers kiln top --rows ''
	[ -z "$output" ]
}

@test "bash: every option of every command is offered" {
	for name in $("$kiln" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
		"$kiln" help --all "$name" | grep -oE '^  (-.,|   ) --[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' | sort >expected
		bash_offers kiln "$name" -- | grep ^-- | sort >offered
		diff expected offered
	done
}

@test "zsh: loads through compinit, and completes" {
	command -v zsh >/dev/null || skip "no zsh"
	mkdir -p functions
	kiln completion zsh >functions/_kiln
	cat >drive.zsh <<-'END'
	zmodload zsh/zpty
	zpty z zsh -f -i
	zpty -w z "PS1= fpath=($PWD/functions \$fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=0; echo re''ady"
	zpty -m z '*ready*'
	zpty -w -n z "$1"$'\t\t'
	zpty -r z all "*$2*" # waits for it
	print -r -- "$all"
	END
	typed() { run timeout 60 env TERM=dumb zsh -f drive.zsh "$1" "$2"; }
	typed 'kiln tre' 'kiln tree'
	[[ $output == *"kiln tree"* ]]
	typed 'kiln top --so' 'kiln top --sort'
	[[ $output == *"kiln top --sort"* ]]
	typed 'kiln top --sort=' 'name*self*total'
	[[ $output == *self* && $output == *total* && $output == *name* ]]
	typed 'kiln top --sort=t' '--sort=total'
	[[ $output == *--sort=total* ]]
	typed 'kiln draw sma' small.folded
	[[ $output == *small.folded* ]]
	typed 'flamegraph --perfd' 'flamegraph --perfdata'
	[[ $output == *"flamegraph --perfdata"* ]]
}

@test "fish: loads, and completes" {
	command -v fish >/dev/null || skip "no fish"
	export HOME=$PWD
	offers() { fish --no-config -c "kiln completion fish | source; complete -C 'kiln $1'" | cut -f 1; }
	[ "$(offers tre)" = tree ]
	[ "$(offers 'top --so')" = --sort ]
	[ "$(offers 'top --sort ' | sort | tr '\n' ' ')" = "name self total " ]
	[ "$(offers 'draw sma')" = small.folded ]
	[ "$(offers 'completion ' | tr '\n' ' ')" = "bash fish zsh " ]
	[ "$(offers 'top --rows ')" = "" ]
	[ "$(fish --no-config -c "kiln completion fish | source; complete -C 'flamegraph --perfd'" | cut -f 1)" = --perfdata ]
}

@test "an unknown shell is told which there are" {
	run "$kiln" completion tcsh
	failed_with 2 "kiln: completion: expected one of bash, zsh, fish, got 'tcsh'"
	run "$kiln" completion
	failed_with 2 "kiln: completion: expected one of bash, zsh, fish, got nothing"
}
