import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../../core/root'
import { byRules } from './findings'
import type { SummaryLine } from './line'
import { rules } from './rules'

/** Lines of one boot, a millisecond apart: those of one failure follow each other at once. */
const linesOf = (messages: readonly string[], everyMs = 1): SummaryLine[] =>
  messages.map((message, index) => ({
    sequence: index + 1,
    tsMs: 1_780_000_000_000 + index * everyMs,
    receivedMs: 1_780_000_000_000,
    level: 4,
    unit: 'kernel',
    bootId: 'a',
    message,
  }))
const found = (messages: readonly string[], everyMs?: number) =>
  byRules(linesOf(messages, everyMs)).map(({ rule_id, count }) => [rule_id, count])

/** Messages of drivers, the kernel and services by a machine that works, in the formats that these programs write. */
const quiet = [
  'omap_wdt: OMAP Watchdog Timer Rev 0x01: initial timeout 60 sec',
  'imx2-wdt 30280000.watchdog: timeout 60 sec (nowayout=0)',
  'bcm2835-wdt bcm2835-wdt: Broadcom BCM2835 watchdog timer',
  'sp5100_tco: SP5100/SB800 TCO WatchDog Timer Driver',
  'iTCO_wdt: initialized. heartbeat=30 sec (nowayout=0)',
  'softdog: initialized. soft_noboot=0 soft_margin=60 sec soft_panic=0 (nowayout=0)',
  'watchdog: watchdog0: watchdog did not stop!',
  'NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.',
  'Using hardware watchdog ’imx2+ watchdog’, version 0, device /dev/watchdog',
  'Set hardware watchdog to 10min.',
  'Watchdog running with a timeout of 10min.',
  'stm32_iwdg 5a002000.watchdog: probe with timeout 32 sec',
  'ACPI: Processor [CPU0] (supports 8 throttling states)',
  'CPU0: Thermal monitoring enabled (TM1)',
  'thermal_sys: Registered thermal governor ’step_wise’',
  'brcm: Brownout detector enabled, level 7',
  'transaction rolled back',
  'ERROR 1213: Deadlock found when trying to get lock; transaction was rolled back',
  'sqlalchemy.exc.PendingRollbackError: This session’s transaction has been rolled back due to a previous exception',
  'migration 12 rolled back, the database is at 11',
  'rollback completed for savepoint a1',
  'EXT4-fs (mmcblk0p2): mounted filesystem with ordered data mode. Opts: (null)',
  'EXT4-fs (mmcblk0p2): re-mounted. Opts: errors=remount-ro',
  'VFS: Mounted root (squashfs filesystem) readonly on device 179:2.',
  'UBIFS (ubi0:1): background thread "ubifs_bgt0_1" started, PID 92',
  'ubi0: attached mtd1 (name "rootfs", size 240 MiB)',
  'ubi0: good PEBs: 1918, bad PEBs: 2, corrupted PEBs: 0',
  'F2FS-fs (mmcblk0p3): Mounted with checkpoint version = 3f1',
  'systemd-oomd.service: Deactivated successfully.',
  'Started Userspace Out-Of-Memory (OOM) Killer.',
  'regulatory.db: loaded, signature ok',
  'cfg80211: Loaded X.509 cert ’sforshee: 00b28ddf47aef9cea7’',
  'collector.service: Deactivated successfully.',
  'Accepted publickey for root from 192.0.2.7 port 50514 ssh2: ED25519 SHA256:abc',
  'pam_unix(sshd:session): session opened for user root(uid=0) by (uid=0)',
  'perf: interrupt took too long (2503 > 2500), lowering kernel.perf_event_max_sample_rate to 79000',
  'kernel: kdump: no panic on oops configured',
  'sysctl: kernel.panic_on_oops = 1',
  'mmc0: new high speed SDHC card at address aaaa',
  'mmcblk0: mmc0:aaaa SL16G 14.8 GiB',
]

/** Each message alone is one event of this rule. */
const labelled: Readonly<Record<string, readonly string[]>> = {
  kernel_panic: [
    'Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)',
    'Kernel panic - not syncing: Fatal exception in interrupt',
    'Internal error: Oops - BUG: 0 [#1] SMP ARM',
    'Internal error: Oops: 17 [#1] PREEMPT SMP ARM',
    'Internal error: Oops - undefined instruction: 0 [#2] ARM',
    'Oops: 0000 [#1] SMP PTI',
    'BUG: unable to handle page fault for address: ffffb0c7',
    'BUG: unable to handle kernel NULL pointer dereference at 0000000000000010',
    'Unable to handle kernel NULL pointer dereference at virtual address 00000004',
    'Unable to handle kernel paging request at virtual address dead000000000100',
    'kernel BUG at fs/ext4/inode.c:2719!',
  ],
  out_of_memory: [
    'Out of memory: Killed process 812 (collector) total-vm:512000kB, anon-rss:401232kB',
    'Out of memory: Kill process 812 (collector) score 911 or sacrifice child',
    'Memory cgroup out of memory: Killed process 411 (node) total-vm:1203332kB',
    'Memory cgroup out of memory: Kill process 411 (node) score 1000 or sacrifice child',
    'collector invoked oom-killer: gfp_mask=0x24201ca, order=0, oom_score_adj=0',
    "collector.service: Failed with result 'oom-kill'.",
    'collector.service: A process of this unit has been killed by the OOM killer.',
  ],
  filesystem_errors: [
    'EXT4-fs error (device mmcblk0p2): ext4_find_entry:1455: inode #2: comm ls: reading directory lblock 0',
    'EXT4-fs (mmcblk0p2): Remounting filesystem read-only',
    'blk_update_request: I/O error, dev mmcblk0, sector 1050624',
    'I/O error, dev mmcblk0, sector 1050624 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 2',
    'end_request: I/O error, dev sda, sector 5120',
    'Buffer I/O error on dev mmcblk0p2, logical block 131072, async page read',
    'UBIFS error (ubi0:1 pid 143): ubifs_read_node: bad node type (255 but expected 1)',
    'UBIFS error (pid 143): ubifs_scan: garbage',
    'ubi0 error: ubi_io_read: error -74 (ECC error) while reading 4096 bytes from PEB 77:4096',
    'UBI error: ubi_io_read: error -74 (ECC error) while reading 64 bytes from PEB 12:0',
    'SQUASHFS error: xz decompression failed, data probably corrupt',
    'JBD2: Error -5 detected when updating journal superblock for mmcblk0p2-8.',
    'FAT-fs (mmcblk0p1): error, invalid access to FAT (entry 0x00000a00)',
    'XFS (sda1): Metadata corruption detected at xfs_agi_verify, xfs_agi block 0x2',
    'BTRFS error (device sda2): bdev /dev/sda2 errs: wr 0, rd 1, flush 0, corrupt 0, gen 0',
    'mount: /data: cannot remount read-write: Read-only file system',
  ],
  watchdog: [
    'watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [kworker/0:1:31]',
    'BUG: soft lockup - CPU#1 stuck for 23s! [ksoftirqd/1:14]',
    'NMI watchdog: Watchdog detected hard LOCKUP on cpu 3',
    'collector.service: Watchdog timeout (limit 30s)!',
    'rst:0x8 (TG1WDT_SYS_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)',
    'rst:0x7 (TG0WDT_SYS_RST),boot:0x8 (SPI_FAST_FLASH_BOOT)',
    'task_wdt: Task watchdog got triggered. The following tasks did not reset the watchdog in time:',
    'imx2-wdt: the last reset was caused by watchdog',
  ],
  segfault: [
    'collector[812]: segfault at 0 ip 0000 sp 0000 error 4 in collector[400000+1000]',
    'collector.service: Main process exited, code=dumped, status=11/SEGV',
    'Guru Meditation Error: Core 0 panic’ed (LoadProhibited). Exception was unhandled.',
  ],
  under_voltage: ['Under-voltage detected! (0x00050005)', 'Undervoltage detected!', 'Brownout detector was triggered'],
  rollback: [
    'boot failed, rolled back to slot a',
    'rauc: Marked slot rootfs.1 bad, rolling back to rootfs.0',
    'update rolled back to release 41',
    'mender: rollback completed',
  ],
  storage_timeout: ['mmc0: Timeout waiting for hardware interrupt.', 'mmc0: error -110 whilst initialising SD card'],
  thermal_throttle: [
    'CPU0: Core temperature above threshold, cpu clock throttled (total events = 1)',
    'thermal thermal_zone0: critical zone, throttling cpu',
  ],
}

describe('lines of a machine that works', () => {
  it.each(quiet)('are no finding: %s', (message) => {
    expect(found([message])).toEqual([])
  })
})

describe('lines of a failure', () => {
  it.each(Object.entries(labelled).flatMap(([id, messages]) => messages.map((message) => [id, message] as const)))(
    'are one event of %s: %s',
    (id, message) => {
      expect(found([message])).toEqual([[id, 1]])
    },
  )

  it('that belong to one oops and its panic are one failure; a second one in another boot is another', () => {
    const oops = [
      'BUG: unable to handle page fault for address: ffffb0c7',
      'Oops: 0000 [#1] SMP PTI',
      'Kernel panic - not syncing: Fatal exception',
    ]
    expect(found(oops)).toEqual([['kernel_panic', 1]])
    const again = linesOf([...oops, ...oops]).map((line, index) => ({ ...line, bootId: index < 3 ? 'a' : 'b' }))
    expect(byRules(again).map(({ count }) => count)).toEqual([2])
  })

  it('of a service that failed are counted by restarts', () => {
    const failure = (n: number) => [
      'collector.service: Main process exited, code=exited, status=1/FAILURE',
      "collector.service: Failed with result 'exit-code'.",
      `collector.service: Scheduled restart job, restart counter is at ${n}.`,
    ]
    expect(found([...failure(1), ...failure(2)])).toEqual([])
    expect(found([1, 2, 3].flatMap(failure))).toEqual([['unit_restarts', 3]])
  })

  it('of failed sign-ins are counted by passwords, also those that syslog has joined', () => {
    const attempt = (port: number) => [
      `Invalid user admin from 192.0.2.7 port ${port}`,
      'pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=192.0.2.7',
      `Failed password for invalid user admin from 192.0.2.7 port ${port} ssh2`,
    ]
    expect(found([1, 2, 3, 4].flatMap(attempt))).toEqual([['sign_in_failures', 4]])
    const joined = 'message repeated 5 times: [ Failed password for root from 192.0.2.7 port 9 ssh2]'
    expect(found([...attempt(1), joined])).toEqual([['sign_in_failures', 6]])
  })

  it('of memory that ran out are counted by killed processes, and name what was killed, not what asked for memory', () => {
    const lines = linesOf([
      'sshd invoked oom-killer: gfp_mask=0x24201ca, order=0, oom_score_adj=0',
      'Out of memory: Killed process 812 (collector) total-vm:512000kB',
      "collector.service: Failed with result 'oom-kill'.",
    ])
    expect(byRules(lines).map(({ count, sentence }) => [count, sentence])).toEqual([
      [1, 'Memory ran out once, collector was killed'],
    ])
  })

  it('of eight cores that are too hot are one event, as are a lost link told by three programs and a return told twice', () => {
    const core = (n: number) => `mce: CPU${n}: Package temperature above threshold, cpu clock throttled (total events = 3654)`
    expect(found([1, 2, 3, 4, 5, 6, 7, 8].map(core))).toEqual([['thermal_throttle', 1]])
    const lost = [
      'wlan0: CTRL-EVENT-BEACON-LOSS',
      "Network device 'wlan0' link is down",
      'wlan0: CTRL-EVENT-DISCONNECTED reason=4',
    ]
    const every = Array.from({ length: 10 }, (_, n) =>
      linesOf(lost).map((line) => ({ ...line, tsMs: line.tsMs + n * 30_000 })),
    ).flat()
    expect(byRules(every.slice(0, -3))).toEqual([])
    expect(byRules(every).map(({ rule_id, count }) => [rule_id, count])).toEqual([['connection_flapping', 10]])
    const returned = ['Greenboot will now attempt to rollback to a previous deployment.', 'Rollback successful']
    expect(found(returned)).toEqual([['rollback', 1]])
  })

  it('of one bad block are one event, and those of later ones further events', () => {
    const bad = [
      'I/O error, dev mmcblk0, sector 1050624 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 2',
      'Buffer I/O error on dev mmcblk0p2, logical block 131072, async page read',
      'EXT4-fs error (device mmcblk0p2): ext4_find_entry:1455: inode #2: comm ls: reading directory lblock 0',
    ]
    expect(found(bad)).toEqual([['filesystem_errors', 1]])
    expect(found([bad[0] ?? '', bad[0] ?? ''], 60_000)).toEqual([['filesystem_errors', 2]])
  })
})

/** `## kind`, `# formats of programs`, and messages; one of another kind than its block ends with ` |kind`. */
const formats = readFileSync(join(import.meta.dirname, 'message-formats.txt'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .flatMap((block) => {
    const [kind = '', ...lines] = block.split('\n')
    return lines
      .filter((line) => line !== '' && !line.startsWith('# '))
      .map((line) => {
        const [, message = line, other = kind] = /^(.*) \|(\w+)$/.exec(line) ?? []
        return { message, kind: other }
      })
  })
const enough = (kind: string) => rules.find(({ id }) => id === kind)?.least ?? 1
/** What is found if the message comes as often as its rule needs, every two seconds. */
const foundIn = ({ message, kind }: (typeof formats)[number]) =>
  found(
    Array.from({ length: enough(kind) }, () => message),
    2000,
  ).map(([id]) => id)
const measured = formats.map((one) => ({ ...one, found: foundIn(one) }))

describe('messages in the formats of kernels, services and update clients', () => {
  const table = readFileSync(join(root, 'docs/log-summaries.md'), 'utf8')
  const row = (name: string, of: typeof measured) => {
    const right = of.filter((one) => String(one.found) === one.kind).length
    return { name, all: of.length, right, recall: (right / of.length).toFixed(2) }
  }

  it('are found as often as docs/log-summaries.md says, of each kind', () => {
    const rows = rules.map(({ id }) =>
      row(
        `\`${id}\``,
        measured.filter(({ kind }) => kind === id),
      ),
    )
    const told = [...table.matchAll(/^\| (`\w+`|all) \| (\d+) \| (\d+) \| ([\d.]+) \|$/gm)].map(
      ([, name, all, right, recall]) => ({ name, all: Number(all), right: Number(right), recall }),
    )
    expect(told).toEqual([...rows, row('all', measured)])
    for (const { name, recall } of rows) expect(Number(recall), name).toBeGreaterThanOrEqual(0.9)
  })

  it('are a finding in at least 98 of 100 cases only if they tell of a problem of this kind', () => {
    const findings = measured.flatMap(({ found: ids, kind, message }) => ids.map((id) => ({ id, kind, message })))
    const wrong = findings.filter(({ id, kind }) => id !== kind)
    expect(wrong.length / findings.length, JSON.stringify(wrong, null, 1)).toBeLessThanOrEqual(0.02)
  })
})
