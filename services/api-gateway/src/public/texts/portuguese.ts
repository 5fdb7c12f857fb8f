import type { PageTexts } from './english.ts'

/** Portuguese texts of the public pages, in the Brazilian variant, without familiar address. */
export const portuguese: PageTexts = {
  form: {
    choose: {
      title: 'Conecte sua caixa de e-mail',
      lead: 'Escolha seu provedor de e-mail.',
      other: 'Outra caixa de e-mail (IMAP)',
      signIn: (name) => `Entrar com ${name}`,
    },
    person: {
      title: 'Conecte sua caixa de e-mail',
      lead: 'Na próxima etapa, procuraremos os servidores do seu provedor de e-mail.',
      name: 'Seu nome',
      email: 'Endereço de e-mail',
      pass: 'Senha da caixa de e-mail',
      next: 'Continuar',
      pinned: 'Somente esta caixa de e-mail pode ser conectada.',
    },
    servers: {
      title: 'Confira as configurações',
      lead: 'Estes são os servidores da sua caixa de e-mail. Corrija-os se necessário.',
      notDiscovered:
        'Não encontramos os servidores desta caixa de e-mail. Consulte seu provedor de e-mail.',
      incoming: 'Recebimento de e-mails (IMAP)',
      outgoing: 'Envio de e-mails (SMTP)',
      outgoingNote: 'Deixe o servidor em branco se esta caixa não envia e-mails.',
      host: 'Servidor',
      port: 'Porta',
      smtpPort: 'Porta (465 usa TLS; qualquer outra, STARTTLS)',
      security: 'Segurança',
      tls: 'TLS (padrão)',
      startTls: 'STARTTLS',
      user: 'Nome de usuário',
      pass: 'Senha',
      passNote: 'Deixe em branco para usar a senha já informada.',
      smtpPassNote: 'Deixe em branco para usar a senha de recebimento.',
      connect: 'Conectar a caixa de e-mail',
      test: 'Apenas testar as configurações',
      works: 'Funciona: o acesso foi realizado com sucesso.',
    },
    done: {
      title: 'Sua caixa de e-mail está conectada',
      lead: 'O redirecionamento é automático.',
      next: 'Continuar',
    },
    used: {
      title: 'Este link já foi usado',
      lead: 'A caixa de e-mail está conectada. Não é preciso fazer mais nada.',
      next: 'Continuar',
    },
    expired: {
      title: 'Este link não é mais válido',
      lead: 'Ele expirou ou já foi usado. Volte ao site e solicite um novo link.',
    },
    invalid: {
      title: 'Este link não funciona',
      lead: 'Ele está incompleto ou foi alterado. Volte ao site ou copie o link inteiro.',
    },
    exhausted: {
      title: 'Muitas tentativas',
      lead: 'O limite de tentativas foi atingido. Volte ao site e solicite um novo link.',
    },
    unavailable: {
      title: 'Não é possível no momento',
      lead: 'Nada foi alterado. Tente novamente em um minuto.',
    },
    noApplication: {
      title: 'Acesso não disponível',
      lead: 'Esta forma de acesso não está mais disponível.',
      next: 'Mostrar as formas disponíveis',
    },
    errors: {
      name: 'Informe um nome de no máximo 256 caracteres.',
      email: 'Informe um endereço de e-mail completo, por exemplo, ana@example.com.',
      pinned: (expected) => `Somente ${expected} pode ser conectado com este link.`,
      pinnedUser: (expected) =>
        `Somente a caixa de e-mail de ${expected} pode ser conectada. Informe esse endereço ou a parte antes do @.`,
      pass: 'Informe a senha: uma única linha de no máximo 256 caracteres.',
      user: 'Informe o nome de usuário: uma única linha de no máximo 256 caracteres.',
      host: 'Informe o nome de um servidor, por exemplo, mail.example.com.',
      port: 'Informe um número de 1 a 65535.',
      other: 'Este valor não é válido.',
    },
    verification: {
      login: 'O servidor recusa este nome de usuário e esta senha.',
      loginWithReply: (reply) =>
        `O servidor recusa este nome de usuário e esta senha. Resposta do servidor: ${reply}`,
      server:
        'Não há servidor de e-mail utilizável neste endereço e nesta porta com esta segurança. ' +
        'O certificado do servidor talvez não seja válido para o nome dele.',
      unavailable:
        'Não é possível testar as configurações no momento. Tente novamente em um minuto.',
    },
    appPasswordHint: (provider, instructions) => `${provider}: ${instructions}.`,
    appPasswords: {
      google:
        'ative a verificação em duas etapas e crie uma senha de app em https://myaccount.google.com/apppasswords',
      yahoo:
        'crie uma senha de app na seção de segurança da conta em https://login.yahoo.com/account/security',
      aol: 'crie uma senha de app na seção de segurança da conta em https://login.aol.com/account/security',
      icloud: 'crie uma senha específica de app em https://account.apple.com/account/manage',
      fastmail: 'crie uma senha de app nas configurações do Fastmail, em “Privacy & Security”',
      zoho: 'ative o IMAP nas configurações do Zoho Mail; com a verificação em duas etapas, crie uma senha específica de aplicativo',
      yandex:
        'permita programas de e-mail nas configurações do Yandex Mail e crie uma senha de app em https://id.yandex.com/security/app-passwords',
      mailRu:
        'crie uma senha para aplicativos externos em https://account.mail.ru/user/2-step-auth/passwords',
      qqMail: 'ative o IMAP nas configurações do QQ Mail e use o código de autorização exibido',
      netEase:
        'ative o IMAP nas configurações da caixa de e-mail e use o código de autorização exibido',
      imapOff:
        'ative o IMAP nas configurações; com a verificação em duas etapas, crie uma senha específica de aplicativo',
    },
  },
  signIn: {
    again: 'Entrar novamente',
    unknown: {
      title: 'Este acesso foi encerrado',
      lead: 'Ele já foi concluído, demorou mais de uma hora ou foi iniciado em outro navegador. Se sua caixa de e-mail não estiver conectada, volte ao site e comece de novo.',
    },
    denied: {
      title: 'Sua caixa de e-mail não está conectada',
      lead: 'O acesso foi cancelado ou não foi permitido. Nada foi alterado.',
    },
    refused: {
      title: 'Não foi possível entrar',
      lead: 'O provedor da sua caixa de e-mail não confirmou o acesso. Nada foi alterado.',
    },
    missing: {
      title: 'Falta uma permissão',
      lead: 'Todas estas permissões são necessárias. Entre novamente e conceda-as:',
    },
    unverified: {
      title: 'Este endereço não está confirmado',
      lead: 'O provedor não verificou que este endereço é seu. Faça a verificação no provedor e entre novamente. Nada foi alterado.',
    },
    failure: {
      remedy: 'O que fazer',
      error: 'Erro do provedor',
    },
    other: {
      title: 'Esta é outra caixa de e-mail',
      lead: 'A caixa de e-mail usada para entrar não é a que deve ser conectada. Nada foi alterado.',
      expected: 'Caixa de e-mail a conectar',
      signedIn: 'Caixa de e-mail usada',
    },
    exists: {
      title: 'Esta caixa de e-mail já está conectada',
      lead: 'Ela pertence a outra conta aqui. Nada foi alterado.',
    },
    unavailable: {
      title: 'Não é possível no momento',
      lead: 'Sua caixa de e-mail ainda não está conectada. Entre novamente em um minuto.',
    },
    remedies: {
      askAdministrator:
        'Peça a um administrador da sua organização que aprove este aplicativo e depois entre novamente.',
      askForAssignment:
        'Peça a um administrador da sua organização que atribua este aplicativo ao seu usuário.',
      askOperator: 'Peça ao operador deste serviço que corrija o registro no provedor.',
      useOrganisation: 'Entre com uma conta da organização à qual o aplicativo se destina.',
      usePermittedDevice:
        'Entre a partir de um dispositivo ou de uma rede que a política da sua organização permita.',
      acceptPermissions: 'Entre novamente e aceite as permissões solicitadas.',
      answerQuestions: 'Entre novamente e responda a todas as perguntas do provedor.',
      tryLater: 'Entre novamente em alguns minutos.',
    },
  },
  links: {
    confirm: {
      title: 'Cancelar inscrição',
      lead: 'Deseja parar de receber estas mensagens?',
      button: 'Cancelar inscrição',
      note: 'Nada muda até que o botão seja pressionado.',
    },
    unsubscribed: {
      title: 'Sua inscrição foi cancelada',
      lead: 'As mensagens desta lista não serão mais enviadas ao seu endereço.',
      button: 'Inscrever-se novamente',
      note: 'Se foi um engano, é possível se inscrever novamente a qualquer momento.',
    },
    blocked: {
      title: 'Sua inscrição foi cancelada',
      lead: 'As mensagens desta lista não serão mais enviadas ao seu endereço.',
      note: 'Somente o remetente da lista pode refazer sua inscrição.',
    },
    resubscribed: {
      title: 'Sua inscrição foi refeita',
      lead: 'As mensagens desta lista voltarão a ser enviadas ao seu endereço.',
      button: 'Cancelar inscrição',
      note: 'É possível cancelar a inscrição a qualquer momento.',
    },
    address: 'Endereço',
    list: 'Lista',
    invalid: {
      title: 'Este link não funciona',
      lead: 'Ele está incompleto ou foi alterado. Abra-o novamente a partir da mensagem ou copie o link inteiro.',
    },
    unavailable: {
      title: 'Não é possível no momento',
      lead: 'Nada foi alterado. Tente novamente em um minuto.',
    },
    oneClick: 'Inscrição cancelada',
  },
}
