/** Whether `npm run test:full` runs, with all repetitions of the slow tests. */
export const isFull = process.env.TEASEL_FULL === '1'

/** How often a test repeats: `few` times in `npm test`, `all` times in `npm run test:full`. */
export const repetitions = (few: number, all: number): number => (isFull ? all : few)
