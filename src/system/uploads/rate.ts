/** Bytes per second over the last few seconds: a useful estimate, smoother than the last packet. */
export const createRate = (now: () => number = () => performance.now(), span = 3000) => {
  const samples: { at: number; sent: number }[] = []
  return (sent: number): number => {
    const at = now()
    samples.push({ at, sent })
    while (samples.length > 2 && (samples[0]?.at ?? at) < at - span) samples.shift()
    const first = samples[0]
    const seconds = first ? (at - first.at) / 1000 : 0
    return first && seconds > 0 ? Math.max(0, (sent - first.sent) / seconds) : 0
  }
}
