/** The trimmed text of a control, or '' without one. */
export const textOf = (data: FormData, name: string): string => {
  const value = data.get(name)
  return typeof value === 'string' ? value.trim() : ''
}
