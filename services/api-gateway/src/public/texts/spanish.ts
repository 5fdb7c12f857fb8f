import type { PageTexts } from './english.ts'

/** Spanish texts of the public pages, with formal address. */
export const spanish: PageTexts = {
  form: {
    choose: {
      title: 'Conecte su buzón de correo',
      lead: 'Elija su proveedor de correo.',
      other: 'Otro buzón (IMAP)',
      signIn: (name) => `Iniciar sesión con ${name}`,
    },
    person: {
      title: 'Conecte su buzón de correo',
      lead: 'En el siguiente paso buscaremos los servidores de su proveedor de correo.',
      name: 'Su nombre',
      email: 'Correo electrónico',
      pass: 'Contraseña del buzón',
      next: 'Continuar',
      pinned: 'Solo se puede conectar este buzón.',
    },
    servers: {
      title: 'Compruebe la configuración',
      lead: 'Estos son los servidores de su buzón. Corríjalos si es necesario.',
      notDiscovered:
        'No hemos encontrado los servidores de este buzón. Consúltelos con su proveedor de correo.',
      incoming: 'Correo entrante (IMAP)',
      outgoing: 'Correo saliente (SMTP)',
      outgoingNote: 'Deje el servidor vacío si este buzón no envía correo.',
      host: 'Servidor',
      port: 'Puerto',
      smtpPort: 'Puerto (465 usa TLS; cualquier otro, STARTTLS)',
      security: 'Seguridad',
      tls: 'TLS (habitual)',
      startTls: 'STARTTLS',
      user: 'Nombre de usuario',
      pass: 'Contraseña',
      passNote: 'Déjela vacía para usar la contraseña que ya ha introducido.',
      smtpPassNote: 'Déjela vacía para usar la contraseña del correo entrante.',
      connect: 'Conectar el buzón',
      test: 'Solo probar la configuración',
      works: 'Funciona: el inicio de sesión se ha realizado correctamente.',
    },
    done: {
      title: 'Su buzón está conectado',
      lead: 'Se le redirigirá automáticamente.',
      next: 'Continuar',
    },
    used: {
      title: 'Este enlace ya se ha utilizado',
      lead: 'El buzón está conectado. No tiene que hacer nada más.',
      next: 'Continuar',
    },
    expired: {
      title: 'Este enlace ya no es válido',
      lead: 'Ha caducado o ya se ha utilizado. Vuelva al sitio web y solicite uno nuevo.',
    },
    invalid: {
      title: 'Este enlace no funciona',
      lead: 'Está incompleto o se ha modificado. Vuelva al sitio web o copie el enlace completo.',
    },
    exhausted: {
      title: 'Demasiados intentos',
      lead: 'Se ha alcanzado el límite de intentos. Vuelva al sitio web y solicite un enlace nuevo.',
    },
    unavailable: {
      title: 'No es posible en este momento',
      lead: 'No se ha cambiado nada. Inténtelo de nuevo dentro de un minuto.',
    },
    noApplication: {
      title: 'Inicio de sesión no disponible',
      lead: 'Este método de inicio de sesión ya no está disponible.',
      next: 'Mostrar los métodos disponibles',
    },
    errors: {
      name: 'Introduzca un nombre de 256 caracteres como máximo.',
      email: 'Introduzca una dirección de correo completa, por ejemplo, ana@example.com.',
      pinned: (expected) => `Con este enlace solo se puede conectar ${expected}.`,
      pinnedUser: (expected) =>
        `Solo se puede conectar el buzón de ${expected}. Introduzca esa dirección o la parte que precede a la @.`,
      pass: 'Introduzca la contraseña: una sola línea de 256 caracteres como máximo.',
      user: 'Introduzca el nombre de usuario: una sola línea de 256 caracteres como máximo.',
      host: 'Introduzca el nombre de un servidor, por ejemplo, mail.example.com.',
      port: 'Introduzca un número del 1 al 65535.',
      other: 'Este valor no es válido.',
    },
    verification: {
      login: 'El servidor rechaza este nombre de usuario y esta contraseña.',
      loginWithReply: (reply) =>
        `El servidor rechaza este nombre de usuario y esta contraseña. Su respuesta: ${reply}`,
      server:
        'En esta dirección y este puerto no se puede usar ningún servidor de correo con esta seguridad. ' +
        'Es posible que su certificado no sea válido para su nombre.',
      unavailable:
        'En este momento no se puede probar la configuración. Inténtelo de nuevo dentro de un minuto.',
    },
    appPasswordHint: (provider, instructions) => `${provider}: ${instructions}.`,
    appPasswords: {
      google:
        'active la verificación en dos pasos y cree una contraseña de aplicación en https://myaccount.google.com/apppasswords',
      yahoo:
        'cree una contraseña de aplicación en la sección de seguridad de la cuenta, en https://login.yahoo.com/account/security',
      aol: 'cree una contraseña de aplicación en la sección de seguridad de la cuenta, en https://login.aol.com/account/security',
      icloud: 'cree una contraseña específica de app en https://account.apple.com/account/manage',
      fastmail:
        'cree una contraseña de aplicación en los ajustes de Fastmail, en «Privacy & Security»',
      zoho: 'active IMAP en la configuración de Zoho Mail; si usa el inicio de sesión en dos pasos, cree una contraseña específica de aplicación',
      yandex:
        'permita los programas de correo en la configuración de Yandex Mail y cree una contraseña de aplicación en https://id.yandex.com/security/app-passwords',
      mailRu:
        'cree una contraseña para aplicaciones externas en https://account.mail.ru/user/2-step-auth/passwords',
      qqMail:
        'active IMAP en la configuración de QQ Mail y use el código de autorización que se le muestra',
      netEase:
        'active IMAP en la configuración del buzón y use el código de autorización que se le muestra',
      imapOff:
        'active IMAP en la configuración; si usa el inicio de sesión en dos pasos, cree una contraseña específica de aplicación',
    },
  },
  signIn: {
    again: 'Iniciar sesión de nuevo',
    unknown: {
      title: 'Este inicio de sesión ha terminado',
      lead: 'Ya se ha completado, ha durado más de una hora o se inició en otro navegador. Si su buzón no está conectado, vuelva al sitio web y empiece de nuevo.',
    },
    denied: {
      title: 'Su buzón no está conectado',
      lead: 'Se ha cancelado el inicio de sesión o no se ha permitido el acceso. No se ha cambiado nada.',
    },
    refused: {
      title: 'El inicio de sesión no ha funcionado',
      lead: 'El proveedor de su buzón no lo ha confirmado. No se ha cambiado nada.',
    },
    missing: {
      title: 'Falta un permiso',
      lead: 'Todos estos permisos son necesarios. Inicie sesión de nuevo y concédalos:',
    },
    unverified: {
      title: 'Esta dirección no está confirmada',
      lead: 'El proveedor no ha verificado que esta dirección sea suya. Verifíquela allí e inicie sesión de nuevo. No se ha cambiado nada.',
    },
    failure: {
      remedy: 'Qué hacer',
      error: 'Error del proveedor',
    },
    other: {
      title: 'Este es otro buzón',
      lead: 'Ha iniciado sesión con un buzón distinto del que se va a conectar. No se ha cambiado nada.',
      expected: 'Buzón que se va a conectar',
      signedIn: 'Ha iniciado sesión con',
    },
    exists: {
      title: 'Este buzón ya está conectado',
      lead: 'Aquí pertenece a otra cuenta. No se ha cambiado nada.',
    },
    unavailable: {
      title: 'No es posible en este momento',
      lead: 'Su buzón aún no está conectado. Inicie sesión de nuevo dentro de un minuto.',
    },
    remedies: {
      askAdministrator:
        'Pida a un administrador de su organización que apruebe esta aplicación y, después, inicie sesión de nuevo.',
      askForAssignment: 'Pida a un administrador de su organización que le asigne esta aplicación.',
      askOperator: 'Pida al operador de este servicio que corrija el registro en el proveedor.',
      useOrganisation:
        'Inicie sesión con una cuenta de la organización a la que está destinada la aplicación.',
      usePermittedDevice:
        'Inicie sesión desde un dispositivo o una red que permita la política de su organización.',
      acceptPermissions: 'Inicie sesión de nuevo y acepte los permisos solicitados.',
      answerQuestions: 'Inicie sesión de nuevo y responda a todas las preguntas del proveedor.',
      tryLater: 'Inicie sesión de nuevo dentro de unos minutos.',
    },
  },
  links: {
    confirm: {
      title: 'Cancelar la suscripción',
      lead: '¿Desea dejar de recibir estos mensajes?',
      button: 'Cancelar la suscripción',
      note: 'No se cambiará nada hasta que pulse el botón.',
    },
    unsubscribed: {
      title: 'Su suscripción se ha cancelado',
      lead: 'Ya no recibirá mensajes de esta lista.',
      button: 'Suscribirse de nuevo',
      note: 'Si ha sido un error, puede volver a suscribirse en cualquier momento.',
    },
    blocked: {
      title: 'Su suscripción se ha cancelado',
      lead: 'Ya no recibirá mensajes de esta lista.',
      note: 'Solo el remitente de la lista puede volver a suscribirle.',
    },
    resubscribed: {
      title: 'Se ha suscrito de nuevo',
      lead: 'Volverá a recibir los mensajes de esta lista.',
      button: 'Cancelar la suscripción',
      note: 'Puede cancelar la suscripción en cualquier momento.',
    },
    address: 'Dirección',
    list: 'Lista',
    invalid: {
      title: 'Este enlace no funciona',
      lead: 'Está incompleto o se ha modificado. Ábralo de nuevo desde el mensaje o copie el enlace completo.',
    },
    unavailable: {
      title: 'No es posible en este momento',
      lead: 'No se ha cambiado nada. Inténtelo de nuevo dentro de un minuto.',
    },
    oneClick: 'Suscripción cancelada',
  },
}
