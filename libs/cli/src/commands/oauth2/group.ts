import type { CommandGroup } from '../../program/command.ts'

const app = { name: '<app>', description: 'id of the OAuth2 application' }
const lookAt = () => import('./look-at-apps.ts')

export const oauth2: CommandGroup = {
  name: 'oauth2',
  summary: 'Look at OAuth2 applications and test them.',
  commands: [
    {
      name: 'list',
      summary: 'List the OAuth2 applications.',
      examples: [{ purpose: 'List all applications', line: 'oauth2 list' }],
      load: async () => (await lookAt()).listApps,
    },
    {
      name: 'show',
      summary: 'Show an OAuth2 application. Its secrets are masked.',
      arguments: [app],
      examples: [{ purpose: 'Show an application', line: 'oauth2 show AAABiL8tBxsAAAAB' }],
      load: async () => (await lookAt()).showApp,
    },
    {
      name: 'verify',
      summary: 'Test the endpoints and the secret of an OAuth2 application.',
      arguments: [app],
      options: [
        { flags: '--account <id>', description: 'account whose access token the test requests' },
      ],
      examples: [
        {
          purpose: 'Test an application',
          line: 'oauth2 verify AAABiL8tBxsAAAAB',
        },
      ],
      load: async () => (await lookAt()).verifyApp,
    },
  ],
}
