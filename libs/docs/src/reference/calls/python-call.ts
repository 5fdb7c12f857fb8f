import type { ApiCall } from './api-call.ts'
import { exampleFiles } from './curl-call.ts'
import { toLiteral } from './literal.ts'

/** Call of an API operation by Python 3 with its standard library. */
export function pythonCall({ method, path, body, produces }: ApiCall): string {
  const isJson = produces === 'application/json'
  const modules = [...(isJson || body !== undefined ? ['json'] : []), 'os', 'urllib.request']
  const request = [
    'request = urllib.request.Request(',
    `  os.environ["POSTHORN_URL"] + ${JSON.stringify(path)},`,
    `  method="${method}",`,
    '  headers={',
    '    "Authorization": "Bearer " + os.environ["POSTHORN_TOKEN"],',
    ...(body === undefined ? [] : ['    "Content-Type": "application/json",']),
    '  },',
    ...(body === undefined
      ? []
      : [`  data=json.dumps(${toLiteral(body, 'python', { indent: 2, used: 18 })}).encode(),`]),
    ')',
  ]
  return [
    ...modules.map((name) => `import ${name}`),
    '',
    ...request,
    'with urllib.request.urlopen(request) as response:',
    ...readResponse(produces),
  ].join('\n')
}

function readResponse(produces: string): string[] {
  const file = exampleFiles[produces]
  if (file !== undefined)
    return [`  with open("${file}", "wb") as file:`, '    file.write(response.read())']
  if (produces === 'application/json') return ['  print(json.load(response))']
  if (produces === 'text/event-stream')
    return ['  for line in response:', '    print(line.decode(), end="")']
  return ['  print(response.read().decode())']
}
