<?php // shares.php: three quarters of its time is three_quarters()'s.
function spin($turns) { $sum = 0; for ($i = 0; $i < $turns; $i++) $sum += $i * $i; return $sum; }
function three_quarters() { return spin(90000); }
function one_quarter() { return spin(30000); }
for ($i = 0; $i < 60; $i++) { three_quarters(); one_quarter(); }
echo str_repeat('=', 3);
