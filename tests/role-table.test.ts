import { expect, it } from 'vitest'
import { type Permission, permissions, permissionWords } from '../contract/core/permissions'
import { projectRolePermissions } from '../contract/accounts/project-permissions'
import { roleDescriptions } from '../contract/accounts/role-descriptions'
import { baseRoles, rolePermissions } from '../contract/core/roles'

type Rules = Readonly<Record<string, readonly Permission[]>>

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`

const table = (rules: Rules): string => {
  const roles = Object.values(rules)
  const rows = permissions
    .filter((permission) => roles.some((role) => role.includes(permission)))
    .map((permission) =>
      line([
        `${permissionWords(permission)} (\`${permission}\`)`,
        ...roles.map((role) => (role.includes(permission) ? 'yes' : '')),
      ]),
    )
  return `${line(['Permission', ...Object.keys(rules)])}${'|---'.repeat(roles.length + 1)}|\n${rows.join('')}`
}

const descriptions: Readonly<Record<string, string>> = roleDescriptions
const described = (rules: Rules) =>
  Object.keys(rules)
    .map((role) => `- **${role}**: ${descriptions[role]}\n`)
    .join('')

it('docs/roles.md has the permissions of each role', async () => {
  const page = `# Roles

Generated from the rules of \`contract/core/roles.ts\` and \`contract/accounts/project-permissions.ts\` by \`tests/role-table.test.ts\`, which fails when
this page and the rules differ; \`npx vitest run --project node tests/role-table.test.ts -u\` regenerates it.

## In an organization

${described(rolePermissions)}
${table(rolePermissions)}
## In one project

Of guests of a personal project, and of members who have another role in one project of their organization.

${described(projectRolePermissions)}
${table(projectRolePermissions)}`
  await expect(page).toMatchFileSnapshot('../docs/roles.md')
})

it.each<[string, Permission]>([
  ['Has no access to projects', 'project:view'],
  ['Does not approve rollouts', 'project:approve_releases'],
  ['Does not create releases', 'project:manage_releases'],
])('a role whose description says “%s” does not have the permission %s', (words, permission) => {
  const saying = baseRoles.filter((role) => roleDescriptions[role].includes(words))
  expect(saying).not.toEqual([])
  expect(saying.filter((role) => rolePermissions[role].includes(permission))).toEqual([])
})
