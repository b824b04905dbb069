/** Hides Node 20's warning that Ed25519 in WebCrypto is experimental; other warnings still show. */
export const quietWarnings = (): void => {
  const shown = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && /Ed25519|Web Crypto/.test(warning.message)) return
    for (const listener of shown) listener(warning)
  })
}
