/** `Content-Disposition` of a download (RFC 6266): an ASCII name for all clients, the real one for those that support it. */
export const attachment = (name: string): string => {
  const plain = name.replace(/[^\w.+-]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
