import type { JobSpec } from '@posthorn/cli'

/**
 * Help texts of the one-time commands (jobs) of the container image, such as `migrate`, by name.
 */
export const jobHelp: Readonly<Record<string, JobSpec>> = {
  migrate: {
    name: 'migrate',
    summary: 'Create or update the database schema before a release starts.',
    help: `Usage: posthorn migrate

Creates or updates the database schema and the login roles of the services.

Environment:
  DATABASE_OWNER_URL           URL of the database with the login of its owner
  SVC_DATABASE_ROLE_PASSWORDS  {"posthorn_sender": "…", …}

Exit codes: 0 done, 1 failed, 75 a lock was not available in time: repeat.

Examples:
  # Update the schema
  posthorn migrate
`,
  },
  'admin-owner': {
    name: 'admin-owner',
    summary: 'Print a link that makes a person owner of the administration pages.',
    help: `Usage: posthorn admin-owner <email>
       posthorn admin owner <email>

Prints a link with which a person becomes owner and chooses a new password. For the first owner, and
for an owner who is locked out. The link is valid once and for one hour. When the link is used, all
other factors and sessions of the person end. Until then nothing changes.

Environment:
  DATABASE_URL   URL of the database with the login of admin-ui or of the owner
  SVC_ADMIN_URL  origin of the administration pages, such as https://admin.example.com

Exit codes: 0 done, 1 failed, 64 the email address is missing or invalid.

Examples:
  # Restore the access of an owner
  posthorn admin-owner owner@example.com
`,
  },
  'broker-users': {
    name: 'broker-users',
    summary: 'Create the RabbitMQ users of the services.',
    help: `Usage: posthorn broker-users [--print]

Creates the RabbitMQ users of the services through the management API.

Options:
  --print  print the commands of rabbitmqctl instead, for brokers without a management API

Environment:
  AMQP_ADMIN_URL      http://admin:password@host:15672/vhost
  SVC_AMQP_PASSWORDS  {"posthorn_sender": "…", …}

Examples:
  # Print the permissions as commands of rabbitmqctl
  posthorn broker-users --print
`,
  },
  keys: {
    name: 'keys',
    summary: 'Print a new SVC_SECRET with its public key.',
    help: `Usage: posthorn keys [--format secret|env|json] [--namespace <name>] [--public]

Prints a new SVC_SECRET and its public key, or those of the variable SVC_SECRET. Needs no server.

Options:
  --format <format>   secret (manifests of Kubernetes, default), env or json
  --namespace <name>  namespace of the manifests
  --public            print only the public key of SVC_SECRET

Examples:
  # Print new keys as environment variables
  posthorn keys --format env
`,
  },
  reseal: {
    name: 'reseal',
    summary: 'Seal all stored secrets with the newest key.',
    help: `Usage: posthorn reseal [--dry-run]

Seals all stored secrets with the key of SVC_SECRET. Needs the environment of auth-bridge.

Options:
  --dry-run  only count the values by key

Exit codes: 0 all values have the newest key, 1 failed, 2 values have older keys.

Examples:
  # Count the values by key
  posthorn reseal --dry-run
`,
  },
  'rotate-link-secret': {
    name: 'rotate-link-secret',
    summary: 'Replace the secret that signs links in messages.',
    help: `Usage: posthorn rotate-link-secret

Replaces the secret that signs links. Earlier links stay valid. Needs the environment of api-gateway.

Examples:
  # Replace the secret
  posthorn rotate-link-secret
`,
  },
}
