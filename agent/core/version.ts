/** The client's name and version in every enrollment and check-in. */
export const client = { name: 'teasel-agent', version: '0.1.0' } as const
