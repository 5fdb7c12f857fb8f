import type { CommandGroup } from '../../program/command.ts'

const route = { name: '<route>', description: 'id or name of the route' }
const lookAt = () => import('./look-at-routes.ts')

export const routes: CommandGroup = {
  name: 'routes',
  summary: 'Send selected events to further targets.',
  commands: [
    {
      name: 'list',
      summary: 'List the webhook routes.',
      examples: [{ purpose: 'List all routes', line: 'routes list' }],
      load: async () => (await lookAt()).printRoutes,
    },
    {
      name: 'show',
      summary: 'Show a webhook route with its functions.',
      arguments: [route],
      examples: [{ purpose: 'Show a route by its name', line: 'routes show Invoices' }],
      load: async () => (await lookAt()).showRoute,
    },
    {
      name: 'errors',
      summary: 'List the latest errors of the functions of a webhook route.',
      arguments: [route],
      examples: [{ purpose: 'List errors', line: 'routes errors Invoices' }],
      load: async () => (await lookAt()).printRouteErrors,
    },
    {
      name: 'test',
      summary: 'Run the functions of a file with a webhook body. Nothing is stored.',
      details:
        'The YAML or JSON file has `content` with the functions `fn` and `map`, and `payload` with the webhook body.',
      arguments: [{ name: '<file>', description: 'YAML or JSON file, `-` for standard input' }],
      examples: [{ purpose: 'Test functions', line: 'routes test route-test.yaml' }],
      load: async () => (await import('./test-route.ts')).testRoute,
    },
    {
      name: 'apply',
      continuesUnread: true,
      summary: 'Change the webhook routes to those of a file.',
      details: `The YAML or JSON file has the list of all routes, with the members name, targetUrl, description, enabled,
customHeaders and content. Routes are compared by name: routes that the file lacks are deleted, except for temporary
routes. Values of headers and passwords cannot be compared: they are written each time, unless the file has the mask
\`******\`, which keeps the stored value.`,
      arguments: [{ name: '<file>', description: 'YAML or JSON file, `-` for standard input' }],
      options: [
        { flags: '--dry-run', description: 'only show the differences' },
        { flags: '-y, --yes', description: 'do not ask for a confirmation' },
      ],
      examples: [
        { purpose: 'Show the differences', line: 'routes apply routes.yaml --dry-run' },
        { purpose: 'Make the changes in a script', line: 'routes apply routes.yaml --yes' },
      ],
      load: async () => (await import('./apply-routes.ts')).applyRoutes,
    },
    {
      name: 'delete',
      summary: 'Delete a webhook route. Its waiting deliveries are dropped.',
      arguments: [route],
      confirm: ([route]) => `Delete the route ${route}?`,
      examples: [{ purpose: 'Delete a route', line: 'routes delete Invoices --yes' }],
      load: async () => (await lookAt()).deleteRoute,
    },
  ],
}
