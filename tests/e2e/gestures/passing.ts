/** A state that the chart leaves in the very step that enters it: nobody can see it, and no path may end there. */
export const passing = (): Promise<never> => Promise.reject(new Error('This state is never seen'))
