/**
 * The status with which a mail server refuses an address or a mail for good (RFC 5321 §4.2.1: 5yz); undefined for what may succeed
 * later. A refused sign-in (`EAUTH`) is a mistake in the settings, which end.
 */
export const findRefusal = (error: unknown): number | undefined => {
  if (!(error instanceof Error) || !('code' in error) || !('responseCode' in error)) return undefined
  const { code, responseCode } = error
  const isOfMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  return isOfMail && typeof responseCode === 'number' && responseCode >= 500 ? responseCode : undefined
}
