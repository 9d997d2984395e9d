-- shares.hs: three quarters of its time is threeQuarters's.
module Main (main) where

import Data.List (foldl')

spin :: Int -> Int
spin turns = foldl' (\total i -> (total * 31 + i) `mod` 1000003) 7 [1 .. turns]
{-# NOINLINE spin #-}

threeQuarters :: Int -> Int
threeQuarters n = {-# SCC threeQuarters #-} spin (9000000 + n `mod` 2)
{-# NOINLINE threeQuarters #-}

oneQuarter :: Int -> Int
oneQuarter n = {-# SCC oneQuarter #-} spin (3000000 + n `mod` 2)
{-# NOINLINE oneQuarter #-}

main :: IO ()
main = print (sum [threeQuarters n + oneQuarter n | n <- [1 .. 8]])
