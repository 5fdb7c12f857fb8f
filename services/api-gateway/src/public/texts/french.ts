import type { PageTexts } from './english.ts'

/** French texts of the public pages, with formal address. A no-break space precedes `:` and `?`. */
export const french: PageTexts = {
  form: {
    choose: {
      title: 'Connecter votre boîte mail',
      lead: 'Choisissez votre fournisseur de messagerie.',
      other: 'Autre boîte mail (IMAP)',
      signIn: (name) => `Se connecter avec ${name}`,
    },
    person: {
      title: 'Connecter votre boîte mail',
      lead: 'À l’étape suivante, nous recherchons les serveurs de votre fournisseur de messagerie.',
      name: 'Votre nom',
      email: 'Adresse e-mail',
      pass: 'Mot de passe de la boîte mail',
      next: 'Continuer',
      pinned: 'Seule cette boîte mail peut être connectée.',
    },
    servers: {
      title: 'Vérifier les paramètres',
      lead: 'Voici les serveurs de votre boîte mail. Corrigez-les si nécessaire.',
      notDiscovered:
        'Nous n’avons pas trouvé les serveurs de cette boîte mail. Veuillez les demander à votre fournisseur de messagerie.',
      incoming: 'Courrier entrant (IMAP)',
      outgoing: 'Courrier sortant (SMTP)',
      outgoingNote: 'Laissez le serveur vide si cette boîte mail n’envoie pas de messages.',
      host: 'Serveur',
      port: 'Port',
      smtpPort: 'Port (465 utilise TLS, tout autre port STARTTLS)',
      security: 'Sécurité',
      tls: 'TLS (habituel)',
      startTls: 'STARTTLS',
      user: 'Nom d’utilisateur',
      pass: 'Mot de passe',
      passNote: 'Laissez vide pour utiliser le mot de passe que vous avez déjà saisi.',
      smtpPassNote: 'Laissez vide pour utiliser le mot de passe du courrier entrant.',
      connect: 'Connecter la boîte mail',
      test: 'Tester seulement les paramètres',
      works: 'La connexion fonctionne.',
    },
    done: {
      title: 'Votre boîte mail est connectée',
      lead: 'Vous allez être redirigé automatiquement.',
      next: 'Continuer',
    },
    used: {
      title: 'Ce lien a déjà été utilisé',
      lead: 'La boîte mail est connectée. Vous n’avez rien d’autre à faire.',
      next: 'Continuer',
    },
    expired: {
      title: 'Ce lien n’est plus valable',
      lead: 'Il a expiré ou a déjà été utilisé. Veuillez retourner sur le site et demander un nouveau lien.',
    },
    invalid: {
      title: 'Ce lien ne fonctionne pas',
      lead: 'Il est incomplet ou a été modifié. Veuillez retourner sur le site ou copier le lien en entier.',
    },
    exhausted: {
      title: 'Trop de tentatives',
      lead: 'Le nombre maximal de tentatives est atteint. Veuillez retourner sur le site et demander un nouveau lien.',
    },
    unavailable: {
      title: 'Impossible pour le moment',
      lead: 'Rien n’a été modifié. Veuillez réessayer dans une minute.',
    },
    noApplication: {
      title: 'Connexion indisponible',
      lead: 'Ce mode de connexion n’est plus disponible.',
      next: 'Afficher les modes disponibles',
    },
    errors: {
      name: 'Saisissez un nom de 256 caractères au maximum.',
      email: 'Saisissez une adresse e-mail complète, par exemple anne@example.com.',
      pinned: (expected) => `Seule l’adresse ${expected} peut être connectée avec ce lien.`,
      pinnedUser: (expected) =>
        `Seule la boîte mail de ${expected} peut être connectée. Saisissez cette adresse ou la partie qui précède le @.`,
      pass: 'Saisissez le mot de passe\u00a0: une seule ligne de 256 caractères au maximum.',
      user: 'Saisissez le nom d’utilisateur\u00a0: une seule ligne de 256 caractères au maximum.',
      host: 'Saisissez le nom d’un serveur, par exemple mail.example.com.',
      port: 'Saisissez un nombre de 1 à 65535.',
      other: 'Cette valeur n’est pas valable.',
    },
    verification: {
      login: 'Le serveur refuse ce nom d’utilisateur et ce mot de passe.',
      loginWithReply: (reply) =>
        `Le serveur refuse ce nom d’utilisateur et ce mot de passe. Sa réponse\u00a0: ${reply}`,
      server:
        'Aucun serveur de messagerie n’est utilisable à cette adresse et sur ce port avec cette sécurité. ' +
        'Il est possible que son certificat ne soit pas valable pour son nom.',
      unavailable:
        'Les paramètres ne peuvent pas être testés pour le moment. Veuillez réessayer dans une minute.',
    },
    appPasswordHint: (provider, instructions) => `${provider}\u00a0: ${instructions}.`,
    appPasswords: {
      google:
        'activez la validation en deux étapes et créez un mot de passe d’application sur https://myaccount.google.com/apppasswords',
      yahoo:
        'créez un mot de passe d’application dans la sécurité du compte sur https://login.yahoo.com/account/security',
      aol: 'créez un mot de passe d’application dans la sécurité du compte sur https://login.aol.com/account/security',
      icloud: 'créez un mot de passe pour application sur https://account.apple.com/account/manage',
      fastmail:
        'créez un mot de passe d’application dans les paramètres de Fastmail, rubrique «\u00a0Privacy & Security\u00a0»',
      zoho: 'activez IMAP dans les paramètres de Zoho Mail\u00a0; avec la connexion à deux facteurs, créez un mot de passe d’application',
      yandex:
        'autorisez les logiciels de messagerie dans les paramètres de Yandex Mail et créez un mot de passe d’application sur https://id.yandex.com/security/app-passwords',
      mailRu:
        'créez un mot de passe pour applications externes sur https://account.mail.ru/user/2-step-auth/passwords',
      qqMail:
        'activez IMAP dans les paramètres de QQ Mail et utilisez le code d’autorisation qui s’affiche',
      netEase:
        'activez IMAP dans les paramètres de la boîte mail et utilisez le code d’autorisation qui s’affiche',
      imapOff:
        'activez IMAP dans les paramètres\u00a0; avec la connexion à deux facteurs, créez un mot de passe d’application',
    },
  },
  signIn: {
    again: 'Se connecter à nouveau',
    unknown: {
      title: 'Cette connexion est terminée',
      lead: 'Elle est déjà achevée, a duré plus d’une heure ou a été commencée dans un autre navigateur. Si votre boîte mail n’est pas connectée, veuillez retourner sur le site et recommencer.',
    },
    denied: {
      title: 'Votre boîte mail n’est pas connectée',
      lead: 'La connexion a été annulée ou l’accès n’a pas été autorisé. Rien n’a été modifié.',
    },
    refused: {
      title: 'La connexion a échoué',
      lead: 'Le fournisseur de votre boîte mail ne l’a pas confirmée. Rien n’a été modifié.',
    },
    missing: {
      title: 'Il manque une autorisation',
      lead: 'Toutes les autorisations suivantes sont nécessaires. Connectez-vous à nouveau et accordez-les\u00a0:',
    },
    unverified: {
      title: 'Cette adresse n’est pas confirmée',
      lead: 'Le fournisseur n’a pas vérifié que cette adresse vous appartient. Faites-la vérifier auprès de lui et connectez-vous à nouveau. Rien n’a été modifié.',
    },
    failure: {
      remedy: 'Que faire',
      error: 'Erreur du fournisseur',
    },
    other: {
      title: 'C’est une autre boîte mail',
      lead: 'Vous vous êtes connecté avec une autre boîte mail que celle à connecter. Rien n’a été modifié.',
      expected: 'Boîte mail à connecter',
      signedIn: 'Vous avez utilisé',
    },
    exists: {
      title: 'Cette boîte mail est déjà connectée',
      lead: 'Elle appartient ici à un autre compte. Rien n’a été modifié.',
    },
    unavailable: {
      title: 'Impossible pour le moment',
      lead: 'Votre boîte mail n’est pas encore connectée. Veuillez vous connecter à nouveau dans une minute.',
    },
    remedies: {
      askAdministrator:
        'Demandez à l’administrateur de votre organisation d’approuver cette application, puis connectez-vous à nouveau.',
      askForAssignment:
        'Demandez à l’administrateur de votre organisation de vous attribuer cette application.',
      askOperator:
        'Demandez à l’exploitant de ce service de corriger l’enregistrement auprès du fournisseur.',
      useOrganisation:
        'Connectez-vous avec un compte de l’organisation à laquelle l’application est destinée.',
      usePermittedDevice:
        'Connectez-vous depuis un appareil ou un réseau que les règles de votre organisation autorisent.',
      acceptPermissions: 'Connectez-vous à nouveau et accordez les autorisations demandées.',
      answerQuestions:
        'Connectez-vous à nouveau et répondez à toutes les questions du fournisseur.',
      tryLater: 'Connectez-vous à nouveau dans quelques minutes.',
    },
  },
  links: {
    confirm: {
      title: 'Se désabonner',
      lead: 'Souhaitez-vous ne plus recevoir ces messages\u00a0?',
      button: 'Se désabonner',
      note: 'Rien ne change tant que vous n’appuyez pas sur le bouton.',
    },
    unsubscribed: {
      title: 'Vous êtes désabonné',
      lead: 'Vous ne recevrez plus de messages de cette liste.',
      button: 'Se réabonner',
      note: 'S’il s’agit d’une erreur, vous pouvez vous réabonner à tout moment.',
    },
    blocked: {
      title: 'Vous êtes désabonné',
      lead: 'Vous ne recevrez plus de messages de cette liste.',
      note: 'Seul l’expéditeur de la liste peut vous réabonner.',
    },
    resubscribed: {
      title: 'Vous êtes réabonné',
      lead: 'Vous recevrez à nouveau les messages de cette liste.',
      button: 'Se désabonner',
      note: 'Vous pouvez vous désabonner à tout moment.',
    },
    address: 'Adresse',
    list: 'Liste',
    invalid: {
      title: 'Ce lien ne fonctionne pas',
      lead: 'Il est incomplet ou a été modifié. Ouvrez-le à nouveau depuis le message ou copiez le lien en entier.',
    },
    unavailable: {
      title: 'Impossible pour le moment',
      lead: 'Rien n’a été modifié. Veuillez réessayer dans une minute.',
    },
    oneClick: 'Désabonnement effectué',
  },
}
