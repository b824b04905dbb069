/** Origins that differ from this one but resemble it: in part, by port, scheme, case, name or a list. */
export const foreignOrigins = (own: string): string[] => {
  const { protocol, hostname, port, host } = new URL(own)
  const other = protocol === 'http:' ? 'https:' : 'http:'
  return [
    'null',
    'NULL',
    '',
    `${protocol}//${hostname}`,
    `${protocol}//${hostname}:`,
    `${protocol}//${hostname}:${Number(port) + 1}`,
    `${protocol}//${hostname}:80`,
    `${protocol}//${hostname}:0${port}`,
    `${protocol}//${hostname}:${port}0`,
    `${protocol}//${hostname}:${port.slice(0, -1)}`,
    `${other}//${host}`,
    `${protocol.toUpperCase()}//${host}`,
    `ws://${host}`,
    `ftp://${host}`,
    'file://',
    `chrome-extension://${host}`,
    host,
    `//${host}`,
    `${protocol}${host}`,
    `${protocol}//${hostname.toUpperCase()}:${port}`,
    `${protocol}//${hostname[0]?.toUpperCase()}${hostname.slice(1)}:${port}`,
    `${protocol}//${hostname}.:${port}`,
    `${protocol}//${hostname}.evil.example:${port}`,
    `${own}.evil.example`,
    'http://evil.example',
    `${protocol}//evil.example:${port}`,
    `${protocol}//evil${host}`,
    `${protocol}//sub.${host}`,
    `${protocol}//a.b.${host}`,
    `${protocol}//${hostname}evil:${port}`,
    `${protocol}//user@${host}`,
    `${own}@evil.example`,
    `${own}/`,
    `${own}/path`,
    `${own}?x`,
    `${own}#x`,
    `${own} `,
    `${own} http://evil.example`,
    `http://evil.example, ${own}`,
    `${own}, ${own}`,
    `${protocol}//127.0.0.2:${port}`,
    `${protocol}//127.1:${port}`,
    `${protocol}//0.0.0.0:${port}`,
    `${protocol}//[::]:${port}`,
  ]
}

/** Names that are not the host's. */
export const foreignNames = (own: string): string[] => {
  const [name = '', port = ''] = own.split(':')
  return [
    name,
    `${name}:`,
    `${name}:${Number(port) + 1}`,
    `${name}:0${port}`,
    `${name}.:${port}`,
    `${name}.evil.example:${port}`,
    `evil.example:${port}`,
    `evil${own}`,
    `sub.${own}`,
    `user@${own}`,
    `${own}, evil.example`,
    `evil.example, ${own}`,
    `${own}/`,
    `127.0.0.2:${port}`,
    `0.0.0.0:${port}`,
    'evil.example',
  ]
}
