import { formatBytes, note, printable } from './print'

const barWidth = 28
/** At most ten redraws a second. */
const stepMs = 100

/** A progress bar on standard error; without a terminal one line for each tenth. */
export const progressBar = (name: string, total: number, format: (amount: number) => string = formatBytes) => {
  const target = process.stderr
  const label = printable(name)
  let drawnAt = 0
  let tenth = -1
  const draw = (done: number) => {
    const share = total === 0 ? 1 : done / total
    const filled = Math.round(share * barWidth)
    const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`
    target.write(`\r\u001b[2K${label}  ${bar}  ${Math.floor(share * 100)} %  ${format(done)} of ${format(total)}`)
  }
  return {
    update: (done: number) => {
      if (target.isTTY) {
        const now = performance.now()
        if (now - drawnAt < stepMs && done < total) return
        drawnAt = now
        return draw(done)
      }
      const reached = Math.floor((10 * done) / Math.max(1, total))
      if (reached <= tenth) return
      tenth = reached
      note(`${label}  ${reached * 10} %  ${format(done)} of ${format(total)}`)
    },
    end: () => {
      if (target.isTTY) target.write('\n')
    },
  }
}
