import type { Rule } from './rule'

export const criticalRules: readonly Rule[] = [
  {
    id: 'kernel_panic',
    severity: 'critical',
    forms: [
      /Kernel panic - |\bOops: [0-9a-f]{1,16}\b|\bOops - |[Uu]nable to handle (?:kernel|page)|kernel BUG at |^Internal error: /,
      // What the kernel calls the fault that it died of; the number counts such faults since the boot.
      /^(?:general protection fault\b.{0,80}|invalid opcode|divide error|stack segment|Oops: [\w ]{1,60}, sig): [0-9a-f]{1,16} \[#\d/,
      /^PANIC: double fault/,
    ],
    // An oops writes its cause, its number and, at the end, the panic.
    spanMs: 60_000,
    sentence: (told) => `The kernel failed ${told.times}`,
    step: 'Keep the whole boot log of the failure, and compare the kernel and modules with the previous release.',
  },
  {
    id: 'out_of_memory',
    severity: 'critical',
    forms: [
      /[Oo]ut of memory(?: \(\w{1,40}\))?: Kill(?:ed)? process \d{1,10} \(([^)]{1,64})\)/,
      /^Killed process \d{1,10} \(([^)]{1,64})\) total-vm/,
      /invoked oom-killer|^oom-kill:constraint=|^oom_reaper: reaped process|result 'oom-kill'|killed by the OOM killer/,
      /^Memory cgroup stats for|^Tasks in \S{1,256} killed as a result of limit|^Killed \S{1,256} due to memory (?:pressure|used)/,
    ],
    counts: [
      /[Oo]ut of memory(?: \(\w{1,40}\))?: Kill/,
      /^Killed process /,
      /^oom_reaper:/,
      /invoked oom-killer/,
      /result 'oom-kill'/,
    ],
    sentence: (told) => `Memory ran out ${told.times}${told.named === '' ? '' : `, ${told.named} was killed`}`,
    step: 'Check the memory chart of the hours before. Set a memory limit for the process.',
  },
  {
    id: 'filesystem_errors',
    severity: 'critical',
    forms: [
      /\b(?:EXT[234]-fs|UBIFS|UBI|ubi\d{1,3}|SQUASHFS|BTRFS|FAT-fs)(?: \([^()]{1,64}\))?:? (?:error|critical)\b/,
      /\bEXT[234]-fs \([^()]{1,64}\): (?:initial|last) error at/,
      /[Rr]emounting filesystem read-only|Filesystem has been set read-only|Read-only file system|Aborting journal on device/,
      /\bI\/O error,? (?:on )?dev|\bI\/O error (?:while writing superblock|\d{1,3} writing to inode)/,
      /\bcritical (?:target|medium|nexus) error, dev/,
      /\bJBD2: (?:Error |Detected IO errors|Invalid checksum|recovery failed)/,
      /\bubi_io_read: error|volume is damaged|device-mapper: verity: .{1,64} is corrupted/,
      /\bBTRFS warning .{1,80}csum failed|\bXFS \([^()]{1,64}\): (?:Metadata )?(?:[Cc]orruption|CRC error)/,
      /\bF2FS-fs \([^()]{1,64}\): [Cc]orrupt|\bjffs2: error: |\berofs: .{1,64} failed to decompress/,
    ],
    // One bad block is told by each layer above it.
    spanMs: 1000,
    sentence: (told) => `A file system failed or became read-only ${told.times}`,
    step: 'Take the device out of rollouts and check the storage: writes may be lost.',
  },
]
