// tiers.js: JavaScript that is interpreted, compiled and compiled again while it runs.
'use strict';

class Matrix {
	constructor(size) {
		this.size = size;
		this.cells = Array.from({length: size * size}, (_, i) => i % 7);
	}
	times(other) {
		const out = new Matrix(this.size), n = this.size;
		for (let i = 0; i < n; i++)
			for (let j = 0; j < n; j++) {
				let sum = 0;
				for (let k = 0; k < n; k++)
					sum += this.cells[i * n + k] * other.cells[k * n + j];
				out.cells[i * n + j] = sum % 1000;
			}
		return out;
	}
}

function words(rounds) {
	const seen = new Map();
	for (let i = 0; i < rounds; i++) {
		const word = `word ${(i * 7919) % 1000}`.replace(/[aeiou]/g, (c) => c.toUpperCase());
		seen.set(word, (seen.get(word) || 0) + 1);
	}
	return [...seen].sort(([a], [b]) => (a < b ? -1 : 1)).length;
}

function fibonacci(n) {
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

let matrix = new Matrix(70);
for (let i = 0; i < 60; i++)
	matrix = matrix.times(new Matrix(70));
console.log(matrix.cells[3], words(120000), fibonacci(30), JSON.stringify(matrix.cells).length);
