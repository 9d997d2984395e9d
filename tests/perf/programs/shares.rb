# shares.rb: three quarters of its time is three_quarters()'s.
def spin(turns) = turns.times { |i| i * i }
def three_quarters = spin(30_000)
def one_quarter = spin(10_000)
100.times { three_quarters; one_quarter }
