import { authorityPem } from '../../../contract/openapi/samples'

// Made with openssl; their keys are gone. `hash`: as `openssl x509 -fingerprint -sha256` prints it.

type Certificate = { pem: string; hash: string }

export const firstAuthority: Certificate = {
  hash: '55:B6:C1:CF:A1:DB:EB:E9:EF:E2:D6:59:5A:44:3C:55:81:91:71:14:00:0C:10:3A:0E:8B:5C:CF:A7:EB:51:46',
  pem: authorityPem,
}

export const secondAuthority: Certificate = {
  hash: 'A4:EA:95:E2:E2:D0:5D:D2:C4:8F:36:B0:E9:55:E3:91:6E:F4:7E:20:11:2F:2C:61:36:AF:0F:0A:37:1C:A9:69',
  pem: `-----BEGIN CERTIFICATE-----
MIIBiDCCAS+gAwIBAgIUY5jJ6ch38SnDNjIgaeMPUEDRIQgwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwORGV2aWNlcyBzZWNvbmQwIBcNMjYxMTIzMDQwMDQwWhgPMjEy
NjEwMzAwNDAwNDBaMBkxFzAVBgNVBAMMDkRldmljZXMgc2Vjb25kMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEd7X5jTo/wglECQ/wh/xXhYccye1xzamB/gQnRUsn
5xBF7U14j/tWzZQ6kcgdnUGlxQ4faq+prAYvymy00WJ0mKNTMFEwHQYDVR0OBBYE
FMyUk17htMHGDx7KCym8ko9I8ZzpMB8GA1UdIwQYMBaAFMyUk17htMHGDx7KCym8
ko9I8ZzpMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgCdtK43pU
AtGJ26u7csQRfH++Jk6uTR4/ZpyWjG8DhfACIF4434o5UipMna3DobITtvaUjwQK
gdbG4SPXIBF1rLBh
-----END CERTIFICATE-----`,
}

/** A certificate of a device, which the first authority has issued. */
export const deviceCertificate = `-----BEGIN CERTIFICATE-----
MIIBezCCASGgAwIBAgIUdcWCjLxuwDk0MakSvB9fIcMoYcwwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNRGV2aWNlcyBmaXJzdDAgFw0yNjExMjMwNDAwNDBaGA8yMTI2
MTAzMDA0MDA0MFowEjEQMA4GA1UEAwwHZ3ctMDQxNzBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABNrri7xCAxtqgTEfQgpYYFyMjwQmFqIF0pWHStHcTp6fDk98fqpf
HvgbtxOgU+TamJXOS5alvd+mNRxaImF2DiSjTTBLMAkGA1UdEwQCMAAwHQYDVR0O
BBYEFGFVskAM84wOQqtHOz/HtEDt03m0MB8GA1UdIwQYMBaAFPMt3HEzLCYAj6wq
LvPtkVsu2+XQMAoGCCqGSM49BAMCA0gAMEUCIBNV6NZkXgqc3GepksLir3FJigrw
LKiLudlrxoWW+icFAiEA1VH+Y+WAoFrQgBB0qi48ANIDYr08XqUZ6/rlKUEShgA=
-----END CERTIFICATE-----`
