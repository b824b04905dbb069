/** Whether `npm run test:full` runs, with all repetitions of the tests that cost minutes. */
export const isFull = process.env.TEASEL_FULL === '1'

/** How often a test repeats what it does: `few` times in `npm test`, `all` times in `npm run test:full`. */
export const repetitions = (few: number, all: number): number => (isFull ? all : few)
