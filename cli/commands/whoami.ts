import type { Command } from 'commander'
import { online } from '../core/command'
import { facts } from '../core/print'

export const whoami = (program: Command): void => {
  const command = program.command('whoami').description('show the access token, its project and what it may do')
  online(command, async ({ current, show }) => {
    const answer = await current()
    const { access_token: token, project } = answer
    const lost = token.permissions.filter((permission) => !token.effective_permissions.includes(permission))
    show(answer, () =>
      facts([
        ['Token', `${token.name} (${token.prefix}…)`],
        ['State', { text: token.state, colour: token.state === 'active' ? 'green' : 'yellow' }],
        ['Expires', token.expires_at ?? 'never'],
        ['Made by', token.maker.name],
        ['Project', `${project.name} (${project.id})`],
        ['Organization', project.organization?.name],
        ['May', token.effective_permissions.join(', ')],
        ...(lost.length > 0 ? [['Its maker no longer holds', { text: lost.join(', '), colour: 'yellow' }] as const] : []),
        ['Allowed addresses', token.allowed_addresses.join(', ') || 'any'],
      ]),
    )
  })
}
