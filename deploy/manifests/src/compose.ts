import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { checkEnvironment, type Process, type Processes } from './environment.ts'
import { composeUnits, memoryFault } from './memory.ts'
import { isObject, type Path } from './schema/path.ts'
import { validateDocument } from './schema/validate.ts'
import { graceFault } from './shutdown.ts'
import { parseYaml } from './yaml.ts'

interface Service {
  image: string
  command?: string[]
  environment?: Record<string, string>
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  mem_limit?: string
  restart?: string
  stop_grace_period?: string
  depends_on?: Record<string, unknown>
  ports?: string[]
  volumes?: string[]
}

interface Compose {
  services: Record<string, Service>
  volumes?: Record<string, unknown>
}

/** Fault in a Compose file, with the path of the faulty value in the file. */
interface Fault {
  path: Path
  text: string
}

/** Checks a Compose file. Returns one line per fault, with file paths relative to `root`. */
export function checkCompose(file: string, processes: Processes, root: string): string[] {
  const [document] = parseYaml(readFileSync(file, 'utf8'))
  if (!document) return [`${relative(root, file)}:1: the file is empty`]
  const content = interpolate(document.content)
  const lines = composeFaults(content, processes).map(({ path, text }) => {
    const [, service] = path
    const owner = path[0] === 'services' && service !== undefined ? `service ${service}: ` : ''
    return `${relative(root, file)}:${document.lineOf(path).line}: ${owner}${text}`
  })
  return lines
}

function composeFaults(content: unknown, processes: Processes): Fault[] {
  const fields = Object.entries(isObject(content) ? content : {})
  const plain = Object.fromEntries(fields.filter(([name]) => !name.startsWith('x-')))
  const faults = validateDocument('compose/v1', 'Compose', plain)
  if (faults.length > 0) return faults
  const { services, volumes = {} } = plain as unknown as Compose
  return Object.entries(services).flatMap(([name, service]) => {
    const own = service.image === 'posthorn' ? checkOwn(service, processes) : []
    return [...own, ...checkNames(service, { services, volumes })].map(({ path, text }) => ({
      path: ['services', name, ...path],
      text,
    }))
  })
}

/** Replaces each `${NAME:-default}` in the texts of a Compose file by its default. */
function interpolate(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replace(
      /\$\{\w+(?::-((?:[^{}]|\{[^{}]*\})*))?\}/g,
      (_match, text?: string) => text ?? '',
    )
  if (Array.isArray(value)) return value.map(interpolate)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, interpolate(each)]))
}

function checkNames(
  { depends_on = {}, volumes = [] }: Service,
  file: { services: Record<string, unknown>; volumes: Record<string, unknown> },
): Fault[] {
  return [
    ...Object.keys(depends_on)
      .filter((name) => !Object.hasOwn(file.services, name))
      .map((name) => ({ path: ['depends_on', name], text: `service ${name} does not exist` })),
    ...volumes
      .map((text, index) => ({ index, name: text.split(':')[0] ?? '' }))
      .filter(({ name }) => /^\w/.test(name) && !Object.hasOwn(file.volumes, name))
      .map(({ name, index }) => ({
        path: ['volumes', index],
        text: `volume ${name} does not exist`,
      })),
  ]
}

function checkOwn(service: Service, processes: Processes): Fault[] {
  const name = service.command?.[0] ?? ''
  const process = processes.get(name)
  if (!process) return [{ path: ['command'], text: `the image has no process "${name}"` }]
  const { environment = {}, mem_limit: limit } = service
  const memory = memoryFault({ limit, units: composeUnits }, environment['NODE_OPTIONS'])
  return [
    ...checkConfinement(service),
    ...(memory === undefined ? [] : [{ path: ['mem_limit'], text: memory }]),
    ...checkProcess(service, { name, process }),
  ]
}

function checkConfinement({ read_only, cap_drop, security_opt }: Service): Fault[] {
  const demands: [boolean, string, string][] = [
    [read_only === true, 'read_only', 'true'],
    [cap_drop?.includes('ALL') === true, 'cap_drop', 'ALL'],
    [
      security_opt?.includes('no-new-privileges:true') === true,
      'security_opt',
      'no-new-privileges:true',
    ],
  ]
  return demands
    .filter(([isFulfilled]) => !isFulfilled)
    .map(([, field, value]) => ({ path: [field], text: `${field} must be ${value}` }))
}

function checkProcess(
  { environment = {}, restart, stop_grace_period: grace = '10s' }: Service,
  { name, process }: { name: string; process: Process },
): Fault[] {
  const variables = Object.entries(environment).map(([key, value]) => ({ name: key, value }))
  const { faults, config } = checkEnvironment(name, process, variables)
  const isJob = restart === undefined
  const graceText =
    config && !isJob
      ? graceFault(config, { field: 'stop_grace_period', seconds: Number.parseInt(grace) })
      : undefined
  return [
    ...faults.map(({ variable, text }) => ({
      path: variable ? ['environment', variable.name] : ['command'],
      text,
    })),
    ...(graceText === undefined ? [] : [{ path: ['stop_grace_period'], text: graceText }]),
  ]
}
