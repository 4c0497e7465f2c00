#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# shapes.pl FOLDER - 40 small boards of the shapes that real device-tree source comes in, laid out as in
#                    a kernel's source, for check.pl: 20 shapes, each without the property and with it
use strict;
use warnings;
use File::Path qw(make_path);

my ($top) = @ARGV or die "usage: shapes.pl FOLDER\n";
my $dir = "$top/arch/arm64/boot/dts/ours";
make_path $dir, "$top/scripts/dtc/include-prefixes";

# One CPU node. DPC is replaced by the property, or goes.
sub cpu {
	my ($n, $more, $kind) = @_;
	$more //= '';
	$kind //= 'arm,cortex-a53';
	return <<"END";
		cpu$n: cpu\@$n {
			device_type = "cpu";
			compatible = "$kind";
			reg = <0x$n>;
			DPC
$more		};
END
}

my $head = "\t\t#address-cells = <1>;\n\t\t#size-cells = <0>;\n\n";
sub cpus { return "\tcpus {\n$head" . join("\n", @_) . "\t};\n" }
sub board { return "/dts-v1/;\n\n/ {\n" . join('', @_) . "};\n" }
sub opps {
	my ($label) = @_;
	return "\t$label: opp-table-$label {\n\t\tcompatible = \"operating-points-v2\";\n\t\topp-shared;\n"
		. "\t\topp-1 { opp-hz = /bits/ 64 <1000000000>; opp-microvolt = <900000>; };\n\t};\n";
}
my $soc = "/ {\n" . cpus(cpu(0), cpu(1)) . "};\n";
my $clock = "\t\t\toperating-points-v2 = <&a>;\n";

# name => text of NAME.dts, and of NAME.dtsi where there is one
my %shapes = (
	plain => [board(cpus(cpu(0), cpu(1)))],
	capacity => [board(cpus(map { cpu($_, "\t\t\tcapacity-dmips-mhz = <1024>;\n\t\t\t#cooling-cells = <2>;\n") } 0, 1))],
	caches => [board(cpus(cpu(0, "\t\t\tl2: l2-cache {\n\t\t\t\tcache-level = <2>;\n\t\t\t\tl3-cache {\n\t\t\t\t\tcache-level = <3>;\n\t\t\t\t};\n\t\t\t};\n")))],
	included => ["/dts-v1/;\n#include \"included.dtsi\"\n\n&cpu0 { status = \"okay\"; };\n", $soc],
	overridden => ["/dts-v1/;\n#include \"overridden.dtsi\"\n\n&cpu0 {\n\tDPC\n};\n\n&cpu1 {\n\tcompatible = \"arm,cortex-a72\"; DPC\n};\n", $soc],
	reopened => ["/dts-v1/;\n/include/ \"reopened.dtsi\"\n/ {\n\tcpus {\n\t\tcpu\@0 {\n\t\t\tenable-method = \"psci\";\n\t\t};\n\n" . cpu(2) . "\t};\n};\n", $soc],
	one_line => [board("\tcpus { #address-cells = <1>; #size-cells = <0>;\n\t\tcpu\@0 { device_type = \"cpu\"; compatible = \"arm,cortex-a53\"; reg = <0>; DPC };\n\t};\n")],
	closers => [board("\tcpus {\n$head\t\tcpu\@0 {\n\t\t\tcompatible = \"a\"; reg = <0>;\n\t\t\tDPC\n\t\t};\tcpu\@1 {\n\t\t\tcompatible = \"a\";\treg = <1>; };\n\t};\n")],
	prose => [board("\t/*\n\t * See https://example.org/cpus { or not }; \"\n\t */\n", cpus("\t\t// one { of\n" . cpu(0, "\t\t\t/* compatible = \"b\"; */\n") . "\t\t/* the end */\n"))],
	ifs => [board(cpus(cpu(0, "#ifdef FAST\n\t\t\tclock-latency = <1>;\n#else\n\t\t\tclock-latency = <2>;\n#endif\n"), "#if 0\n\t\tcpu\@9 { don't\n#endif\n" . cpu(1)))],
	macros => ["/dts-v1/;\n#define IRQ(n) \\\n\t<n \\\n\t 4>\n#define NODE(x) x: x\n/ {\n\tNODE(dev) { interrupts = IRQ(3); };\n" . cpus(cpu(0)) . "};\n"],
	deletes => ["/dts-v1/;\n#include \"deletes.dtsi\"\n/delete-node/ &cpu1;\n&cpu0 {\n\t/delete-property/ enable-method;\n\tDPC\n};\n", $soc],
	not_cpus => [board(cpus(cpu(0), "\t\tcpu-map { cluster0 { core0 { cpu = <&cpu0>; }; }; };\n\t\tidle-states { };\n"), "\twkup: cpu\@44d0 { reg = <0x44d0>; };\n\tsound { cpu { sound-dai = <1>; }; };\n\tgpu { dynamic-power-coefficient = <2982>; };\n")],
	big_little => [board(cpus(cpu(100, '', 'arm,cortex-a7'), cpu(101, '', 'arm,cortex-a7'), cpu(0, '', 'arm,cortex-a15')))],
	one_clock => [board(cpus(cpu(0, $clock, 'arm,cortex-a715'), cpu(1, $clock, 'arm,cortex-a710')), opps('a'))],
	no_cells => [board("\tcpus {\n\t\t#address-cells = <0>;\n\t\t#size-cells = <0>;\n\n\t\tcpu {\n\t\t\tcompatible = \"arm,arm1136jf-s\";\n\t\t\tdevice_type = \"cpu\";\n\t\t\tDPC\n\t\t};\n\t};\n")],
	two_cells => ["/dts-v1/;\n/memreserve/ 0x80000000 0x10000;\n\n/ {\n\t#address-cells = <2>;\n\tcpus: cpus {\n\t\t#address-cells = <2>;\n\t\t#size-cells = <0>;\n\t};\n};\n\n&cpus {\n\tb: cpu1: cpu\@101 {\n\t\tdevice_type = \"cpu\";\n\t\tcompatible = \"arm,cortex-a57\", \"arm,armv8\";\n\t\treg = <0x0 0x101>;\n\t\tDPC\n\t};\n};\n"],
	crlf => [board(cpus(cpu(0), cpu(1))) =~ s/\n/\r\n/gr],
	blanks => ["\xef\xbb\xbf" x 0 . board(cpus(cpu(0), cpu(1))) =~ s/\t/        /gr =~ s/\n\z//r],
	braces => [board("\tmodel = \"Gr\xc3\xbc\xc3\x9fe {\";\n", cpus(cpu(0), cpu(1))) =~ s/ \{\n/\n{\n/gr],
);
die "20 shapes, not " . keys(%shapes) . "\n" if keys %shapes != 20;

sub put {
	my ($path, $text, $with) = @_;
	my $property = $with ? 'dynamic-power-coefficient = <77>;' : '';
	# Without it, a line of its own goes as a whole.
	$text =~ s/^[ \t]*DPC\r?\n//mg if !$with;
	$text =~ s/DPC/$property/g;
	open my $f, '>:raw', $path or die "$path: $!\n";
	print $f $text;
	close $f or die "$path: $!\n";
}

for my $name (sort keys %shapes) {
	my ($board, $included) = @{$shapes{$name}};
	for my $with (0, 1) {
		my $as = $with ? "$name-with" : $name;
		put("$dir/$as.dts", $board =~ s/"$name\.dtsi"/"$as.dtsi"/r, $with);
		put("$dir/$as.dtsi", $included, $with) if defined $included;
	}
}
