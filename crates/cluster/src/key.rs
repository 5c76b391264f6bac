//! The key of a cluster: a certificate and its private key, which all processes have.
//!
//! Each side of a connection shows the certificate, proves that it has the private key, and accepts this certificate
//! only. So there is no authority, no name and no time to check.

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::version::TLS13;
use rustls::{ClientConfig, DigitallySignedStruct, DistinguishedName, Error, ServerConfig, SignatureScheme};
use std::sync::Arc;

/// The name in the certificate. No check depends on it.
pub(crate) const NAME: &str = "impasse.cluster";

/// Why a text is no key of a cluster.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// There is no certificate or no private key in PEM.
    #[error("this is no key file of `impasse cluster key`: {0}")]
    Syntax(String),
    /// The certificate and the private key do not belong together, or are of an unknown kind.
    #[error("the certificate and the private key cannot be used: {0}")]
    Unusable(Error),
    /// The system has no random numbers.
    #[error("no key can be made: {0}")]
    Make(String),
}

/// The key of a cluster, as used by connections.
#[derive(Clone, Debug)]
pub struct Key {
    pub(crate) client: Arc<ClientConfig>,
    pub(crate) server: Arc<ServerConfig>,
}

impl Key {
    /// Makes a new key. Returns its text in PEM, which is secret.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn make() -> Result<String, KeyError> {
        let made = generate_simple_self_signed([NAME.to_owned()]);
        let CertifiedKey { cert, signing_key } = made.map_err(|error| KeyError::Make(error.to_string()))?;
        Ok(cert.pem() + &signing_key.serialize_pem())
    }

    /// Reads a key.
    ///
    /// # Errors
    /// If the text is no key that [`Key::make`] returns.
    pub fn read(pem: &str) -> Result<Self, KeyError> {
        let syntax = |error: rustls::pki_types::pem::Error| KeyError::Syntax(error.to_string());
        let certificate = CertificateDer::from_pem_slice(pem.as_bytes()).map_err(syntax)?;
        let private = PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(syntax)?;
        let provider = Arc::new(ring::default_provider());
        let same = Arc::new(Same::new(certificate.clone(), &provider));
        let client = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[&TLS13])
            .map_err(KeyError::Unusable)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::clone(&same) as Arc<dyn ServerCertVerifier>)
            .with_client_auth_cert(vec![certificate.clone()], private.clone_key())
            .map_err(KeyError::Unusable)?;
        let mut server = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])
            .map_err(KeyError::Unusable)?
            .with_client_cert_verifier(same)
            .with_single_cert(vec![certificate], private)
            .map_err(KeyError::Unusable)?;
        // Connections last as long as the run, so there are no sessions to resume.
        server.send_tls13_tickets = 0;
        Ok(Self { client: Arc::new(client), server: Arc::new(server) })
    }
}

/// Accepts exactly one certificate.
#[derive(Debug)]
struct Same {
    certificate: CertificateDer<'static>,
    algorithms: WebPkiSupportedAlgorithms,
}

/// The error about a certificate that is not that of the key.
pub(crate) const OTHER_KEY: &str = "the other side has another key";

impl Same {
    fn new(certificate: CertificateDer<'static>, provider: &CryptoProvider) -> Self {
        Self { certificate, algorithms: provider.signature_verification_algorithms }
    }

    fn is(&self, shown: &CertificateDer<'_>) -> Result<(), Error> {
        match *shown == self.certificate {
            true => Ok(()),
            false => Err(Error::General(OTHER_KEY.to_owned())),
        }
    }
}

impl ServerCertVerifier for Same {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.is(shown).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, shown, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, shown, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

impl ClientCertVerifier for Same {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        shown: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.is(shown).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, shown, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, shown, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
