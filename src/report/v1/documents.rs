//! What the table of JSON documents becomes: headers, the list of all, and their JSON Schemas.

#[cfg(feature = "schema")]
use super::Document;

/// Declares each document once: its constant, its place in [`DOCUMENTS`] and its JSON Schema.
macro_rules! documents {
    ($($constant:ident = $type:ty;)*) => {
        $(
            #[doc = concat!("[`", stringify!($type), "`].")]
            pub const $constant: super::Document = <$type as super::Described>::DOCUMENT;
        )*

        /// All documents and lines, sorted by name.
        pub const DOCUMENTS: &[super::Document] = &[$($constant),*];

        /// The JSON Schemas of all documents, in the order of [`DOCUMENTS`].
        #[cfg(feature = "schema")]
        pub fn schemas() -> Vec<(super::Document, serde_json::Value)> {
            vec![$(($constant, super::documents::schema::<$type>($constant))),*]
        }
    };
}

/// The JSON Schema of a document.
#[cfg(feature = "schema")]
pub(super) fn schema<T: schemars::JsonSchema>(document: Document) -> serde_json::Value {
    with_id(document, written::<T>())
}

/// The schema of a document as written: fields that can be null are still required.
#[cfg(feature = "schema")]
fn written<T: schemars::JsonSchema>() -> serde_json::Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().into()
}

/// Adds the document's name and title to a schema and, if it has a `schema` field, that field's values.
#[cfg(feature = "schema")]
fn with_id(document: Document, mut schema: serde_json::Value) -> serde_json::Value {
    if let Some(map) = schema.as_object_mut() {
        map.insert("$id".to_owned(), document.id().into());
        map.insert("title".to_owned(), document.schema().into());
    }
    for (field, value) in [("schema", document.schema()), ("schema_version", document.version.to_owned())] {
        let property = schema.pointer_mut(&format!("/properties/{field}")).and_then(|p| p.as_object_mut());
        if let Some(property) = property {
            property.insert("const".to_owned(), value.into());
        }
    }
    schema
}
