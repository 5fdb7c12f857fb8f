import type { CommandGroup } from '../../program/command.ts'

const file = { name: '<file>', description: 'YAML or JSON file, `-` for standard input' }
const changes = () => import('./change-settings.ts')

export const settings: CommandGroup = {
  name: 'settings',
  summary: 'Read and change the settings of the server.',
  commands: [
    {
      name: 'get',
      summary: 'Print settings, by default those that are set.',
      arguments: [{ name: '[keys...]', description: 'names of settings' }],
      options: [{ flags: '--all', description: 'also print settings that are not set' }],
      examples: [
        { purpose: 'Print the webhook target', line: 'settings get webhooks webhooksEnabled' },
        { purpose: 'Store all settings in a file', line: 'settings get --json > settings.json' },
      ],
      load: async () => (await import('./print-settings.ts')).printSettings,
    },
    {
      name: 'set',
      summary: 'Change settings.',
      details:
        'A value is JSON, or else a text: true, 10, ["*"], null. The value null unsets a setting. Put digits that are a text into quotes: \'key="10"\'.',
      arguments: [{ name: '<key=value...>', description: 'settings with their new values' }],
      examples: [
        {
          purpose: 'Send all events to a target',
          line: `settings set webhooksEnabled=true 'webhookEvents=["*"]'`,
        },
      ],
      load: async () => (await changes()).setSettings,
    },
    {
      name: 'set-secret',
      summary: 'Change a setting whose value is secret.',
      details: 'Asks for the value if there is no file. Lists are JSON.',
      arguments: [{ name: '<key>', description: 'name of the setting, such as serviceSecret' }],
      options: [
        {
          flags: '--value-file <path>',
          description: 'file with the value, `-` for standard input',
        },
      ],
      examples: [
        {
          purpose: 'Replace the secret of webhook signatures',
          line: 'settings set-secret serviceSecret --value-file secret.txt',
        },
      ],
      load: async () => (await changes()).setSecret,
    },
    {
      name: 'diff',
      summary: 'Show how a file differs from the settings of the server.',
      details:
        'Settings that the file lacks are not compared. Masked secrets, as `settings get --json` prints them, are no difference.',
      arguments: [file],
      examples: [{ purpose: 'Show the differences', line: 'settings diff settings.json' }],
      load: async () => (await changes()).diffSettings,
    },
    {
      name: 'apply',
      continuesUnread: true,
      summary: 'Change the settings of the server to those of a file.',
      details: 'Settings that the file lacks stay. Masked secrets keep the stored secret.',
      arguments: [file],
      options: [{ flags: '-y, --yes', description: 'do not ask for a confirmation' }],
      examples: [
        { purpose: 'Change the settings in a script', line: 'settings apply settings.yaml --yes' },
      ],
      load: async () => (await changes()).applySettings,
    },
  ],
}
