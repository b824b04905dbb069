import type { Protocol } from '../../../../contract/ddi/confirm'

/** The device APIs, by the names of their clients. */
export const protocolText: Record<Protocol, string> = { teasel: 'Teasel agent', ddi: 'hawkBit client' }
