import { X509Certificate } from 'node:crypto'
import { refuseField } from '../../core/http/refuse'

const read = (pem: string): X509Certificate => {
  try {
    return new X509Certificate(pem)
  } catch {
    return refuseField('certificate_pem', 'unreadable', 'This certificate cannot be read')
  }
}

/** SHA-256 of the certificate of an authority, in hex. Refuses other certificates, and one that has expired. */
export const readCertificateHash = (pem: string, now: Date): string => {
  const certificate = read(pem)
  if (!certificate.ca)
    return refuseField('certificate_pem', 'no_authority', 'Paste the certificate of the authority, not one that it has issued')
  if (new Date(certificate.validTo) <= now) return refuseField('certificate_pem', 'expired', 'This certificate has expired')
  return certificate.fingerprint256.replaceAll(':', '').toLowerCase()
}
