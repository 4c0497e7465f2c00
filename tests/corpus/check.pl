#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check.pl FDTEDIT TREE WORK JOBS COUNT SEED - edit real device trees, see that nothing else changed
#
# TREE is a kernel's source (its device trees will do), WORK a folder on the same file system, JOBS how
# many to run at once, COUNT how many boards (0: all), drawn at random from SEED.
#
# Every board is compiled as the kernel's build does it, gets made-up coefficients for its CPU nodes, and
# is edited as a tree and as source; then each file that holds a CPU node of a board is edited alone. The
# trees are compared by the reader below, which shares nothing with fdtedit or libfdt, and as the text
# that 'dtc -s' makes of them; of source, the lines are compared. In source, one node drawn at random gets
# another property and loses it, and OPPs are pruned. Exit 1 when anything else differs.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Find;
use Time::HiRes qw(time);

my ($fdtedit, $tree, $work, $jobs, $count, $seed) = @ARGV;
die "usage: check.pl FDTEDIT TREE WORK JOBS COUNT SEED\n" if @ARGV != 6;
our $property = 'dynamic-power-coefficient';
my $include = 'scripts/dtc/include-prefixes';
$fdtedit = abs_path($fdtedit);
$tree = abs_path($tree);
$work = abs_path($work);

# ---- reading a tree: [kind, path, name, value] in the order of the file

sub read_file {
	my ($path) = @_;
	open my $f, '<:raw', $path or die "$path: $!\n";
	local $/;
	my $data = <$f>;
	return defined $data ? $data : '';
}

sub read_tree {
	my $blob = read_file(shift);
	my ($magic, $total, $struct, $strings, $reserve, $version, $last, $cpu, $strings_len, $struct_len)
		= unpack 'N10', $blob;
	die "no tree\n" if $magic != 0xd00dfeed || $total != length $blob;
	my %tree = (
		header => "version $version/$last, boot CPU $cpu",
		spare => $total - $strings - $strings_len,
		reserve => substr($blob, $reserve, $struct - $reserve),
		strings => substr($blob, $strings, $strings_len),
		items => [],
	);
	my ($at, @path) = ($struct);
	while (1) {
		my $token = unpack 'N', substr $blob, $at, 4;
		$at += 4;
		if ($token == 1) {
			my $name = unpack 'Z*', substr $blob, $at;
			$at += (length($name) + 4) & ~3;
			push @path, $name;
			push @{$tree{items}}, ['node', join('/', @path) || '/', '', ''];
		} elsif ($token == 2) {
			push @{$tree{items}}, ['end', join('/', @path) || '/', '', ''];
			pop @path;
		} elsif ($token == 3) {
			my ($len, $name) = unpack 'NN', substr $blob, $at, 8;
			push @{$tree{items}}, ['property', join('/', @path) || '/',
				unpack('Z*', substr $tree{strings}, $name), substr $blob, $at + 8, $len];
			$at += 8 + (($len + 3) & ~3);
		} elsif ($token == 9) {
			last;
		} elsif ($token != 4) {
			die "token $token\n";
		}
	}
	return \%tree;
}

# The CPU nodes as the kernel takes them: path -> compatible, and whether the property is there.
sub cpu_nodes {
	my ($t) = @_;
	my (%cpus, %is);
	for my $i (@{$t->{items}}) {
		my ($kind, $path, $name, $value) = @$i;
		next if $path !~ m{^/cpus/([^/]+)$};
		$is{$path} = 1 if $1 =~ /^cpu(@|$)/ || ($name eq 'device_type' && $value eq "cpu\0");
		$cpus{$path}{$name} = $value if $kind eq 'property';
	}
	delete $cpus{$_} for grep { !$is{$_} } keys %cpus;
	return \%cpus;
}

# What keeps $after from being $before with the values of %want; '' when it is that.
sub tree_fault {
	my ($before, $after, $want, $exact) = @_;
	my @old = @{$before->{items}};
	my %missing = %$want;

	for my $i (@{$after->{items}}) {
		my ($kind, $path, $name, $value) = @$i;
		my $asked = $kind eq 'property' && $name eq $property && exists $want->{$path};
		my $old = $old[0] or return "$path: something comes after the end";
		my $same = $old->[0] eq $kind && $old->[1] eq $path && $old->[2] eq $name;

		if ($asked) {
			return "$path: twice" if !exists $missing{$path};
			delete $missing{$path};
			return "$path: not the value" if $value ne pack 'N', $want->{$path};
			shift @old if $same;
			next;
		}
		return "$path: $name: differs" if !$same || $old->[3] ne $value;
		shift @old;
	}
	return 'something is lost' if @old;
	return "no value in " . join ' ', sort keys %missing if %missing;
	return '' if !$exact;
	for my $part ('header', 'spare', 'reserve') {
		return "$part differs" if $before->{$part} ne $after->{$part};
	}
	return 'strings differ' if index($after->{strings}, $before->{strings}) != 0;
	return '';
}

# ---- running

sub run {
	my ($command) = @_;
	my $out = `exec 2>$work/err.$$; $command`;
	return ($? >> 8 || $? & 127, $out);
}

# The reason for which the last command failed.
sub said {
	my @lines = split /\n/, read_file("$work/err.$$");
	return ((grep { /error:/ } @lines)[0] // $lines[0] // 'no reason given');
}

sub compile {
	my ($board, $out) = @_;
	my ($folder) = $board =~ m{(.*)/};
	my ($status) = run("cpp -nostdinc -undef -D__DTS__ -x assembler-with-cpp -I $include -o $work/pp.$$ $board && "
		. "dtc -q -I dts -O dtb -i $folder -i $include -o $out $work/pp.$$");
	return $status ? said() : '';
}

# include-prefixes leads to the same files by other names: one name for each.
my %real;

sub real_name {
	my ($file) = @_;
	return $real{$file} //= do {
		my $path = abs_path($file) // $file;
		my $top = abs_path('.');
		$path =~ s{^\Q$top\E/}{}r;
	};
}

# Where CPU nodes are, by dtc's own account: file -> [paths], and path -> file that gives the property.
sub cpu_files {
	my ($board, $cpus) = @_;
	my ($folder) = $board =~ m{(.*)/};
	my (undef, $text) = run("dtc -q -T -T -I dts -O dts -i $folder -i $include $work/pp.$$");
	my (@path, %files, %from);
	for (split /\n/, $text) {
		if (m{^\t*(?:[\w,]+: )*(\S+) \{(?: /\* (.*) \*/)?$}) {
			push @path, $1 eq '/' ? '' : $1;
			my $path = join '/', @path;
			next if !$cpus->{$path} || !$2;
			for my $place (split /, /, $2) {
				my ($file) = $place =~ /^(.*?):\d/ or next;
				$file = real_name($file);
				push @{$files{$file}}, $path if !grep { $_ eq $path } @{$files{$file}};
			}
		} elsif (m{^\t*\};}) {
			pop @path;
		} elsif (m{^\t*\Q$property\E = .*/\* (.*?):\d}) {
			$from{join '/', @path} = real_name($1);
		}
	}
	return (\%files, \%from);
}

# Made-up coefficients, one per kind of CPU or one for all: path -> value. Also written as coeffs.json.
sub make_coeffs {
	my ($cpus, $paths, $one) = @_;
	my (%kind, %want, @clusters);
	for my $path (@$paths) {
		push @{$kind{$one ? '' : $cpus->{$path}{compatible} // ''}}, $path;
	}
	my $value = 101;
	for my $kind (sort keys %kind) {
		my @list = @{$kind{$kind}};
		$want{$_} = $value for @list;
		push @clusters, sprintf '{"name": "c%d", "match": {"paths": [%s]}, "%s": %d}', $value,
			join(', ', map { "\"$_\"" } @list), $property, $value;
		$value += 101;
	}
	open my $f, '>', "$work/coeffs.$$" or die "$work: $!\n";
	print $f '{"schema": "calib-coeffs/1", "clusters": [', join(",\n", @clusters), "]}\n";
	close $f;
	return \%want;
}

# ---- checking; what fails is one line, what goes well is counted

my (%n, @failures);

sub failed {
	push @failures, join ': ', @_;
	return 0;
}

sub check_text {
	my ($board, $changed) = @_;
	my ($status, $diff) = run("dtc -q -s -I dtb -O dts -o $work/a.$$ $work/before.$$ && "
		. "dtc -q -s -I dtb -O dts -o $work/b.$$ $work/after.$$ && diff $work/a.$$ $work/b.$$");
	my @lines = grep { /^[<>]/ } split /\n/, $diff;
	return failed($board, 'binary', 'as text: ' . said()) if $status > 1;
	return failed($board, 'binary', 'as text, other lines differ')
		if grep { !/^[<>]\s*\Q$property\E = <0x[0-9a-f]+>;$/ } @lines;
	return failed($board, 'binary', "as text, not $changed lines are new")
		if $changed != grep { /^>/ } @lines;
	return 1;
}

sub check_binary {
	my ($board, $before, $want, $cpus) = @_;
	my ($status) = run("$fdtedit apply --all-cpus -o $work/after.$$ $work/before.$$ $work/coeffs.$$");
	# Cores of several kinds on one clock: to refuse that is right, so they get one value.
	if ($status == 2 && said() =~ /one frequency domain would get two values/) {
		$n{shared}++;
		%$want = %{make_coeffs($cpus, [keys %$want], 1)};
		($status) = run("$fdtedit apply --all-cpus -o $work/after.$$ $work/before.$$ $work/coeffs.$$");
	}
	return failed($board, 'binary', said()) if $status;
	my $fault = tree_fault($before, read_tree("$work/after.$$"), $want, 1);
	return failed($board, 'binary', $fault) if $fault;
	my $changed = grep { ($cpus->{$_}{$property} // '') ne pack 'N', $want->{$_} } keys %$want;
	return check_text($board, $changed);
}

# Files of the farm that are no longer hard links into the tree: what an edit made or replaced.
sub touched {
	my @list;
	find({ no_chdir => 1, wanted => sub {
		my (undef, undef, $mode, $links) = lstat $_;
		push @list, $_ if -f _ && $links == 1;
	} }, 'arch');
	return @list;
}

sub put_back {
	for my $file (touched()) {
		unlink $file;
		link "$tree/$file", $file if -e "$tree/$file";
	}
}

# Without the property, both texts must be the same; and so many lines are new.
sub line_fault {
	my ($file) = @_;
	return ("$file is new", 0) if !-e "$tree/$file";
	my ($old, $new) = map { read_file("$_/$file") } $tree, '.';
	my (undef, $diff) = run("diff $tree/$file $file");
	my @new = $diff =~ /^> .*/mg;
	return ("$file: other lines differ", 0) if grep { !/\Q$property\E = <\d+>;/ } @new;
	s/^[ \t]*\Q$property\E = <[^<>]*>;\r?\n//mg, s/\s*\Q$property\E = <[^<>]*>;//g for $old, $new;
	return ("$file: more than the property differs", 0) if $old ne $new;
	return ('', scalar @new);
}

# Edit $file in the farm; the tree of $board must then have the values. With $from, which says what file
# gives the property, $file is edited alone: not with what it includes.
sub check_source {
	my ($board, $file, $before, $want, $from) = @_;
	my $alone = defined $from;
	my $what = $alone ? "source of $file" : 'source';
	my $options = $alone ? '' : '--all-files';
	my ($status, $out) = run("$fdtedit apply --all-cpus $options -I $include $file $work/coeffs.$$");
	if ($status) {
		return failed($board, $what, 'refused, but files changed') if touched();
		return -1 if $alone && said() =~ /no CPU node|edit that file, or give --all-files|would get two values/;
		return failed($board, $what, said());
	}
	my ($edits) = $out =~ /: (\d+) CPU node\(s\) changed/;
	my $lines = 0;
	for my $touched (touched()) {
		return failed($board, $what, "$touched changed, too") if $alone && $touched ne $file;
		my ($fault, $new) = line_fault($touched);
		return failed($board, $what, $fault) if $fault;
		$lines += $new;
	}
	return failed($board, $what, "$lines lines are new for " . ($edits // 0) . ' edits')
		if $lines != ($edits // 0);
	my %told = $alone ? () : %$want;
	while ($alone && $out =~ m{^(/\S+): \Q$property\E: }mg) {
		$told{$1} = $want->{$1} if ($from->{$1} // $file) eq $file;
	}
	my $refused = compile($board, "$work/after.$$");
	return failed($board, $what, "does not compile: $refused") if $refused;
	my $fault = tree_fault($before, read_tree("$work/after.$$"), \%told, 0);
	return failed($board, $what, $fault) if $fault;
	return 1;
}

# A node drawn at random gets a property of ours in source, and loses it: then every byte is as before, but for a blank
# line behind '{', which goes with the first statement as nobody can tell whose it was.
sub check_set {
	my ($board, $before) = @_;
	my @nodes = map { $_->[1] } grep { $_->[0] eq 'node' && $_->[1] !~ /'/ } @{$before->{items}};
	srand unpack '%32C*', "$board $seed";
	my $node = $nodes[rand @nodes];
	local $property = 'corpus-number';
	my ($status) = run("$fdtedit set --all-files -I $include $board '$node' $property 77");
	return $n{macro}++ && 0 if $status == 2 && said() =~ /no text of node .* a macro or/ && !touched();
	return $n{twice}++ && 0
		if $status == 2 && said() =~ /the edit would also change \Q$property\E of '/ && !touched();
	return failed($board, 'set', $node, said()) if $status;
	my @touched = touched();
	my ($fault, $new) = line_fault($touched[0] // 'nothing');
	return failed($board, 'set', $node, @touched . ' files changed') if @touched != 1;
	return failed($board, 'set', $node, $fault || "$new lines are new") if $fault || $new != 1;
	my $refused = compile($board, "$work/after.$$");
	return failed($board, 'set', $node, "does not compile: $refused") if $refused;
	$fault = tree_fault($before, read_tree("$work/after.$$"), { $node => 77 }, 0);
	return failed($board, 'set', $node, $fault) if $fault;
	($status) = run("$fdtedit delete --all-files -I $include $board '$node' $property");
	return failed($board, 'delete', $node, said()) if $status;
	my ($was, $is) = (read_file("$tree/$touched[0]"), read_file($touched[0]));
	s/\{[ \t]*\r?\n\K[ \t]*\r?\n//g for $was, $is;
	return failed($board, 'delete', $node, 'the file is not as before') if $is ne $was;
	return 1;
}

# OPPs of the made-up coefficients are switched off: only their status differs, and that is told.
sub check_prune {
	my ($board) = @_;
	my ($status, $out) = run("$fdtedit prune --all-files -I $include $board $work/coeffs.$$");
	return 0 if $status == 2 && said() =~ /nothing tells which OPPs|one frequency domain would get two/;
	return failed($board, 'prune', said()) if $status;
	my $told = () = $out =~ /: status: \S+ -> disabled/g;
	my $refused = compile($board, "$work/after.$$");
	return failed($board, 'prune', "does not compile: $refused") if $refused;
	my (undef, $diff) = run("dtc -q -s -I dtb -O dts -o $work/a.$$ $work/before.$$ && "
		. "dtc -q -s -I dtb -O dts -o $work/b.$$ $work/after.$$ && diff $work/a.$$ $work/b.$$");
	my @new = $diff =~ /^> .*/mg;
	return failed($board, 'prune', 'other lines differ')
		if grep { !/^(> \s*status = "disabled"|< \s*status = ".*");$/ } $diff =~ /^[<>].*/mg;
	return failed($board, 'prune', @new . " lines are new for $told OPPs") if @new != $told;
	$n{opps} += $told;
	return 1;
}

sub check_board {
	my ($note, $board) = @_;
	my $refused = compile($board, "$work/before.$$");
	if ($refused) {
		print $note "unbuilt\t$board: $refused\n";
		return;
	}
	$n{built}++;
	my $before = read_tree("$work/before.$$");
	my $cpus = cpu_nodes($before);
	my @paths = sort keys %$cpus;
	return $n{without}++ if !@paths;
	my ($files) = cpu_files($board, $cpus);
	print $note join("\t", 'file', $_, $board, @{$files->{$_}}), "\n" for sort keys %$files;
	my $want = make_coeffs($cpus, \@paths);
	$n{nodes} += @paths;
	$n{binary}++ if check_binary($board, $before, $want, $cpus);
	$n{source}++ if check_source($board, $board, $before, $want) == 1;
	put_back();
	$n{set}++ if check_set($board, $before);
	put_back();
	$n{prune}++ if check_prune($board);
	put_back();
}

sub check_file {
	my (undef, $file, $board, @paths) = @_;
	return failed($board, 'does not compile') if compile($board, "$work/before.$$");
	my $before = read_tree("$work/before.$$");
	my $cpus = cpu_nodes($before);
	my $want = make_coeffs($cpus, \@paths);
	my (undef, $from) = cpu_files($board, $cpus);
	my $done = check_source($board, $file, $before, $want, $from);
	$n{file}++ if $done == 1;
	$n{label}++ if $done == -1;
	put_back();
}

# In $jobs processes, each with a farm of hard links to edit; adds up what they report.
sub in_parallel {
	my ($check, @list) = @_;
	my @notes;
	for my $job (0 .. $jobs - 1) {
		next if fork;
		my $farm = "$work/farm.$job";
		system 'cp', '-al', $tree, $farm if !-d $farm;
		chdir $farm or die "$farm: $!\n";
		%n = ();
		@failures = ();
		open my $note, '>', "$work/notes.$job" or die "$work: $!\n";
		for (my $i = $job; $i < @list; $i += $jobs) {
			my @args = ref $list[$i] ? @{$list[$i]} : $list[$i];
			eval { $check->($note, @args); 1 } or failed($args[0], "$@");
			print STDERR "\r$i of ", scalar @list, '  ' if -t STDERR && $job == 0;
		}
		print $note "count\t$_\t$n{$_}\n" for keys %n;
		print $note "failed\t$_\n" for map { s/\s+/ /gr } @failures;
		print $note "end\n";
		close $note;
		unlink glob "$work/*.$$";
		exit 0;
	}
	1 while wait > 0;
	print STDERR "\r" if -t STDERR;
	for my $job (0 .. $jobs - 1) {
		my @lines = split /\n/, read_file("$work/notes.$job");
		push @failures, "a process ended early" if !@lines || pop @lines ne 'end';
		push @notes, map { [split /\t/] } @lines;
	}
	for (@notes) {
		$n{$_->[1]} += $_->[2] if $_->[0] eq 'count';
		push @failures, $_->[1] if $_->[0] eq 'failed';
		print "not built: $_->[1]\n" if $_->[0] eq 'unbuilt';
	}
	return grep { $_->[0] eq 'file' } @notes;
}

chdir $tree or die "$tree: $!\n";
my @boards;
find({ no_chdir => 1, wanted => sub { push @boards, $_ if /\.dts$/ } }, glob 'arch/*/boot/dts');
@boards = sort @boards;
my $all = @boards;
if ($count && $count < $all) {
	srand $seed;
	my %key = map { $_ => rand } @boards;
	@boards = (sort { $key{$a} <=> $key{$b} } @boards)[0 .. $count - 1];
}
$n{$_} = 0 for qw(built without nodes binary source set macro twice prune opps file label shared);
my $start = time;
my %first;
for my $f (sort { $a->[2] cmp $b->[2] } in_parallel(\&check_board, @boards)) {
	my (undef, $file, $board, @paths) = @$f;
	$first{$file} //= [$file, $board, @paths];
}
my $middle = time;
my @files = map { $first{$_} } sort keys %first;
in_parallel(\&check_file, @files);

my $tried = $n{built} - $n{without};
print @boards == $all ? "boards: all $all" : sprintf('boards: %d of %d at random (seed %s)', scalar @boards, $all, $seed),
	", $n{built} built, $n{without} without CPU nodes, $n{nodes} CPU nodes\n";
print "binary: $n{binary} of $tried edited, nothing else differs ($n{shared} have cores of two kinds on one clock)\n";
printf "source: %d of %d boards edited, %.0f s for all of this\n", $n{source}, $tried, $middle - $start;
print "        $n{set} got a property in any node and lost it again, $n{macro} have one that a macro makes,\n";
print "        $n{twice} one whose text makes others, too: refused\n";
print "        $n{prune} pruned, $n{opps} OPPs switched off\n";
printf "files:  %d of %d with CPU nodes edited alone, %.0f s\n", $n{file}, @files - $n{label}, time - $middle;
print "        $n{label} more only add to nodes of other files, and were edited with their board\n";
print "failed: $_\n" for sort @failures;
print scalar @failures, " failures\n";
exit(@failures ? 1 : 0);
