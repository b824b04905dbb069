import type { Rule } from './rule'

export const problemRules: readonly Rule[] = [
  {
    id: 'watchdog',
    severity: 'problem',
    // Not that its driver starts, or that it runs on while the system restarts.
    forms: [
      /BUG: soft lockup|detected hard LOCKUP|: Watchdog timeout \(limit|Task watchdog got triggered|reset was caused by (?:the )?watchdog/,
      /rst:0x\w{1,4} \(\w{0,20}WDT|panic'ed \(Interrupt wdt timeout/,
      /\bself-detected stall on CPU|\bdetected (?:expedited )?stalls on (?:CPUs\/)?tasks|kthread starved for \d{1,12} jiffies/,
      /\btask \S{1,40}:\d{1,10} blocked for more than \d{1,6} seconds/,
    ],
    // ESP32 names a reset by low voltage after its watchdog.
    unless: /BROWN_OUT/,
    spanMs: 1000,
    sentence: (told) => `A watchdog triggered, or a task did not go on, ${told.times}`,
    step: 'Find what blocked the processor in the lines just before.',
  },
  {
    id: 'segfault',
    severity: 'problem',
    forms: [
      /(\S{1,64})\[\d{1,10}\]: segfault (?:\(\d{1,2}\) )?at/,
      /^traps: (\S{1,64})\[\d{1,10}\] (?:general protection|trap )/,
      /^Process \d{1,10} \(([^)]{1,64})\) of user \d{1,10} dumped core/,
      /status=(?:4\/ILL|6\/ABRT|7\/BUS|8\/FPE|11\/SEGV)|code=dumped|result 'core-dump'|Detected coredump|\bcore dumped/,
      /SIGSEGV|[Ss]egmentation [Ff]ault|Guru Meditation|^Caught <[A-Z]{1,8}>, (?:dumped core|core dump failed)/,
      /: unhandled .{1,40}fault \(\d{1,2}\) at|stack smashing detected|^free\(\): invalid|^double free or corruption|^malloc\(\): corrupted/,
    ],
    counts: [/segfault (?:\(\d{1,2}\) )?at|^traps: /, /dumped core/, /status=\d{1,2}\//],
    sentence: (told) => `A process crashed ${told.times}${told.named === '' ? '' : `: ${told.named}`}`,
    step: 'Collect diagnostics from the device, and compare with the previous release.',
  },
  {
    id: 'disk_full',
    severity: 'problem',
    forms: [
      /[Nn]o space left on device|ENOSPC|\b[Dd]isk (?:is )?full\b|Disk quota exceeded|Insufficient system storage/,
      /Only have \d{1,9}kb available on filesystem/,
    ],
    sentence: (told) => `A disk was full ${told.times}`,
    step: 'Free space: an update needs its size plus 10 %.',
  },
  {
    id: 'under_voltage',
    severity: 'problem',
    forms: [
      /under-?voltage detected|brown-?out (?:detector was triggered|reset|detected)/i,
      /\(\w{0,20}BROWN_?OUT_\w{0,10}\)|supply voltage drop/,
    ],
    sentence: (told) => `The supply voltage was too low ${told.times}`,
    step: 'Check the power supply and the cable: flash written at low voltage may be damaged.',
  },
  {
    id: 'signature_refused',
    severity: 'problem',
    forms: [
      /signature (?:verification |check )?(?:failed|invalid|refused|error)|secure boot (?:v2 )?verification failed/i,
      /[Ff]ailed to verify (?:required signature|the manifest signature|X509 cert)|[Ss]ignatures were invalid: /,
      /Authentication of all signatures failed|signer certificate verification failed|EVP_DigestVerifyFinal failed/,
      /signature not signed with a trusted key|Signature size \(\d{1,20}\) exceeds|Verification failed for '[^']{1,64}' hash node/,
      /Image in the \w{1,16} slot is not valid|Bootloader has not verified loaded image|\bSecurity Violation$/,
      /^Loading of (?:unsigned )?module .{0,60}is rejected|^Loading of unsigned module is rejected|unsigned module loading is restricted/,
      /^The repository '.{1,200}' is not signed/,
    ],
    sentence: (told) => `A signature was rejected ${told.times}`,
    step: 'Compare the keys that the device trusts with the key that signed the release.',
  },
  {
    id: 'hash_mismatch',
    severity: 'problem',
    forms: [
      /(?:hash|checksum|digest|sha\d{1,3}sum)(?: sum| or size)? mismatch|Bad (?:hash|Data CRC|Data Hash)/i,
      /\b[Cc]hecksums? (?:failed|WRONG|does not match)|does not match (?:the expected checksum|content hash)/,
      /Image hash failed|Verification of root hash failed|^verify_checksum .{1,80}, want/,
    ],
    sentence: (told) => `A checksum did not match ${told.times}`,
    step: 'Look for a proxy or a disk that changes files.',
  },
  {
    id: 'hook_failed',
    severity: 'problem',
    forms: [
      /hook\b.*\bfailed|(?:pre_install|post_install|post_reboot)\b.*\bfailed/i,
      /Hook returned: |failed to (?:run|start) (?:bundle|slot) hook|slot hook error|^(?:Pre|Post)-install handler error/,
      /execute (?:pre|post)install scripts failed|^ERROR Calling Lua script|script subprocess returned error|^subprocess .{1,64} script returned error/,
      /exit status: Artifact[A-Z]|executing script: Artifact[A-Z]|error code: \d{1,3} while running script/,
      /^required script \S{1,200} failed|\b(?:pre|post)(?:inst|rm)\b\S{0,64} (?:script returned status|exited with return code) [1-9]/,
    ],
    sentence: (told) => `A hook of a release failed ${told.times}`,
    step: 'Run the hook on a device of this model, with the same files.',
  },
  {
    id: 'tls_failure',
    severity: 'problem',
    forms: [
      /[Cc]ertificate (?:has )?expired|certificate is not yet valid|certificate[_ ]verif(?:y|ication) failed|unable to get local issuer/,
      /x509: |CERT_(?!FILE|DIR|PATH|STORE)[A-Z_]+|self[- ]signed certificate|alert (?:bad|unknown|expired) certificate/,
      /SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY|GET_ISSUER)|PKIX path|Certificate(?:Expired|NotYetValid)Exception|certificate is NOT trusted/,
      /(?:handshake|verify_cert\(\)) returned .{0,8}-0x2700|\(-0x2700\)|tls_read_plaintext error/,
      /^ERROR: cannot verify \S{1,256} certificate|[Ff]ailed to verify peer certificate/,
    ],
    sentence: (told) => `A certificate was rejected ${told.times}`,
    step: 'Check the clock of the device first, then its certificate authorities.',
  },
  {
    id: 'unit_restarts',
    severity: 'problem',
    forms: [
      /^(\S+?\.service)?:? ?(?:Main process exited|Scheduled restart job|Failed with result)/,
      /^(\S{1,200}\.service): (?:[Cc]ontrol process exited|Start request repeated|Service hold-off time over)/,
      /^(\S{1,200}\.service)(?: has no)? holdoff time|^Unit (\S{1,200}\.service) entered failed state/,
      /^start request repeated too quickly for (\S{1,200}\.service)/,
      /in a crash loop \d{1,6} crashes|^exited: \S{1,64} \(.{1,40}not expected\)|entered FATAL state|^App \[\S{1,64}\] exited with code \[[1-9]/,
    ],
    counts: [/Scheduled restart job/, /hold-?off time/, /Main process exited/, /entered failed state/],
    least: 3,
    sentence: (told) =>
      `Services stopped and were restarted ${told.times}${told.named === '' ? '' : `, most often ${told.named}`}`,
    step: 'Check the last lines of the service before each stop.',
  },
]
