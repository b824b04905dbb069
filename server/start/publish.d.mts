export const publish: (fresh: string, served: string) => Promise<void>
