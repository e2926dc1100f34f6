# Draws host_suite.svg from host-suite.csv (worst-first selection, robust estimate) and peers-host.csv: seconds on one core against
# the true error, at the tolerances 1e-3 to 1e-6 where the program claimed success. Run in this directory: gnuplot suite.gp
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 1040,560 noenhanced font "sans,11" background rgb "white"
set output "host_suite.svg"
set datafile separator ","
cases = "f3_3d f3_8d f4_5d f4_8d f5_5d f6_6d f7_8d f8_8d"
ours(c, v) = stringcolumn(1) eq c && stringcolumn(3) eq "worst-first" && stringcolumn(4) eq "robust" && $5 == 0 ? v : NaN
peer(p, c, v) = stringcolumn(1) eq p && stringcolumn(2) eq c && $7 == 1 && $3 >= 0.99e-6 ? v : NaN
title(c) = c[1:2]." ".c[4:4]."-D"
set logscale xy
set format "1e%L"
set xrange [1e-1:1e-10] reverse
set xtics ("1e-1" 1e-1, "1e-3" 1e-3, "1e-5" 1e-5, "1e-7" 1e-7, "1e-9" 1e-9)
set yrange [1e-5:1e2]
set ytics 1e-4, 100
set mxtics 1
set grid
set key at screen 0.985,0.86 noautotitle
set label 1 "Suite on one core: seconds against the error that was reached (tolerances 1e-3 to 1e-6)" at screen 0.5,0.97 center font "sans,13"
set label 2 "DCUHRE and Cuhre (Cuba 4.2.2): measured on another machine, not side by side" at screen 0.5,0.93 center
set multiplot layout 2,4 margins 0.075,0.86,0.1,0.86 spacing 0.04,0.13
do for [a=1:words(cases)] {
  c = word(cases, a)
  set title title(c)
  set xlabel (a > 4 ? "true relative error" : "")
  set ylabel (a % 4 == 1 ? "seconds" : "")
  plot "host-suite.csv" using 14:(ours(c, $10)) with linespoints lc 1 pt 7 ps 0.6 lw 2 title (a == 1 ? "Tessera" : ""), \
    "peers-host.csv" using 6:(peer("dcuhre", c, $4)) with linespoints lc 2 pt 6 ps 0.6 title (a == 1 ? "DCUHRE" : ""), \
    "peers-host.csv" using 6:(peer("cuhre", c, $4)) with linespoints lc 4 pt 8 ps 0.6 title (a == 1 ? "Cuhre" : "")
  unset label 1
  unset label 2
}
unset multiplot
