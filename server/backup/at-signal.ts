type Work = () => Promise<void>

const works: Work[] = []
let isLeaving = false

const leave = () => {
  if (isLeaving) return
  isLeaving = true
  const all = async () => {
    for (const work of works.toReversed()) await work().catch((error: Error) => process.stderr.write(`${error.message}\n`))
    process.exit(1)
  }
  void all()
}

/**
 * Does this before Ctrl-C or SIGTERM ends the process; what was begun last is done first. Returns how to forget it again. A
 * repeated signal has no further effect: npm passes on what its process group has got already. What is removed here must be removed
 * synchronously: the rest of the program still runs, and would write there again.
 */
export const atSignal = (work: Work): (() => void) => {
  if (works.push(work) === 1) process.on('SIGINT', leave).on('SIGTERM', leave)
  return () => {
    works.splice(works.indexOf(work), 1)
    if (works.length === 0) process.off('SIGINT', leave).off('SIGTERM', leave)
  }
}
