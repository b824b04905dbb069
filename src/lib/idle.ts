/** When the browser is idle; Safari lacks the callback and gets a timeout. */
export const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => resolve(), { timeout: 5000 })
    else setTimeout(resolve, 200)
  })
