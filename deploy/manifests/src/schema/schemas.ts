import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { type DeclarationFile, parseDeclarations, type Type } from './declarations.ts'

/**
 * Packages whose type declarations are the schemas of manifests. Their versions are in
 * `pnpm-workspace.yaml`.
 */
const packages = [
  'kubernetes-models',
  '@kubernetes-models/cert-manager',
  '@kubernetes-models/external-secrets',
  '@kubernetes-models/gateway-api',
  '@kubernetes-models/keda',
  '@kubernetes-models/prometheus-operator',
]

/** Folder with type declarations for those kinds of manifests that no npm package declares. */
const ownFolder = resolve(import.meta.dirname, '../../schemas')

/**
 * Module with the base type of all kinds of manifests. The base type is ignored, because each kind
 * declares all of its fields itself.
 */
const ignoredModule = '@kubernetes-models/base'

/**
 * Declared type of a manifest or field. `path` is the declaration file in which the type's
 * references are resolved.
 */
export interface KindSchema {
  type: Type
  path: string
}

const folders = [ownFolder, ...packages.map((name) => findPackage(name, import.meta.filename))]
const files = new Map<string, DeclarationFile>()

/**
 * Returns the schema for a kind of manifest, for example for the kind `Deployment` of the API
 * version `apps/v1`.
 */
export function findSchema(apiVersion: string, kind: string): KindSchema | undefined {
  const folder = folders.find((folder) => existsSync(join(folder, apiVersion, `${kind}.d.ts`)))
  if (folder === undefined) return undefined
  const path = join(folder, apiVersion, `${kind}.d.ts`)
  return resolveReference({ kind: 'reference', name: `I${kind}` }, path)
}

/** Resolves a reference to a declared type. Follows imports to other declaration files. */
export function resolveReference(type: Type, path: string): KindSchema {
  if (type.kind !== 'reference') return { type, path }
  const { types, imports } = readDeclarations(path)
  const local = types.get(type.name)
  if (local) return resolveReference(local, path)
  const specifier = imports.get(type.name)
  if (specifier === undefined) throw new Error(`${path} does not declare ${type.name}`)
  if (specifier === ignoredModule) return { type: emptyObject, path }
  return resolveReference(type, resolveModule(specifier, path))
}

const emptyObject: Type = { kind: 'object', fields: new Map(), bases: [] }

function readDeclarations(path: string): DeclarationFile {
  let file = files.get(path)
  if (!file) {
    file = parseDeclarations(readFileSync(path, 'utf8'))
    files.set(path, file)
  }
  return file
}

function resolveModule(specifier: string, from: string): string {
  if (specifier.startsWith('.'))
    return resolve(dirname(from), `${specifier.replace(/(\.d)?\.[jt]s$/, '')}.d.ts`)
  const [, name = '', path = ''] = /^((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(specifier) ?? []
  return join(findPackage(name, from), `${path}.d.ts`)
}

/**
 * Finds the folder of an installed npm package. `require.resolve` is not used, because the packages
 * do not export their declaration files.
 */
function findPackage(name: string, from: string): string {
  const paths = createRequire(from).resolve.paths(name) ?? []
  const folder = paths.map((path) => join(path, name)).find((path) => existsSync(path))
  if (folder === undefined) throw new Error(`package ${name} is not installed`)
  return realpathSync(folder)
}
