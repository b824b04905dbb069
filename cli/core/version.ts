export const client = { name: 'teasel', version: '0.1.0' } as const
