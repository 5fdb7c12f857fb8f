import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { buildPackage } from '../src/package/build-package.ts'

const execute = promisify(execFile)
const root = resolve(import.meta.dirname, '../../..')

/** Empty project in which the packed API client is installed and the sample program is compiled. */
export class SampleProject {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async create(folder: string): Promise<SampleProject> {
    const packed = buildPackage(join(folder, 'packed'))
    const project = new SampleProject(join(folder, 'project'))
    mkdirSync(project.#folder, { recursive: true })
    project.#write('package.json', { name: 'sample', type: 'module', private: true })
    await project.#run('npm', ['install', '--offline', '--no-audit', '--no-fund', packed])
    cpSync(join(import.meta.dirname, 'sample-program.ts'), join(project.#folder, 'program.ts'))
    return project
  }

  /**
   * Compiles the sample program with strict checks, including the declarations of the client
   * package.
   */
  async compile(options: Readonly<Record<string, unknown>>): Promise<string> {
    this.#write('tsconfig.json', {
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noPropertyAccessFromIndexSignature: true,
        skipLibCheck: false,
        module: 'nodenext',
        target: 'es2022',
        types: [],
        ...options,
      },
      files: ['program.ts'],
    })
    const compiler = join(root, 'node_modules/.bin/tsc')
    const { stdout } = await execute(compiler, ['-p', '.'], { cwd: this.#folder }).catch(
      (error: unknown) => error as { stdout: string },
    )
    return stdout
  }

  /** Runs the compiled sample program in a JavaScript runtime. Returns the program's result. */
  async run(command: string, args: readonly string[], url: string): Promise<unknown> {
    const main = `import { runSample } from './program.js'\nconsole.log(JSON.stringify(await runSample('${url}')))\n`
    writeFileSync(join(this.#folder, 'main.js'), main)
    return JSON.parse(await this.#run(command, [...args, 'main.js']))
  }

  #write(name: string, value: object): void {
    writeFileSync(join(this.#folder, name), JSON.stringify(value))
  }

  async #run(command: string, args: readonly string[]): Promise<string> {
    const { stdout } = await execute(command, args, { cwd: this.#folder })
    return stdout
  }
}
