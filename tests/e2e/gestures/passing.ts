/** A state that the chart leaves in the same step: it is never visible, and no path may end there. */
export const passing = (): Promise<never> => Promise.reject(new Error('This state is never seen'))
